// Which page is shown, and the key.

const pages = [
  [/^#\/workflows$/, (signal) => workflowsPage(signal)],
  [/^#\/workflows\/([^/]+)$/, (signal, id) => workflowPage(id, signal)],
  [/^#\/runs$/, (signal) => runsPage(signal)],
  [/^#\/runs\/([^/]+)$/, (signal, id) => runPage(id, signal)],
  [/^#\/accounts$/, (signal) => accountsPage(signal)],
  [/^#\/api$/, (signal) => referencePage(signal)],
];

let leaving = new AbortController();

// failed shows what went wrong, and asks for the key if that is what is missing.
function failed(error) {
  if (error.name === 'AbortError') return;
  if (error instanceof Problem && error.status === 401) askForKey(key.get() ? 'The service does not take this key.' : '');
  else notice(error.message);
}

async function open() {
  leaving.abort();
  leaving = new AbortController();
  const {signal} = leaving;
  notice('');
  for (const link of document.querySelectorAll('nav a')) {
    if (location.hash.startsWith(link.getAttribute('href'))) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  document.getElementById('forget').hidden = !key.get();
  for (const [pattern, page] of pages) {
    const match = pattern.exec(location.hash);
    if (!match) continue;
    try {
      await page(signal, ...match.slice(1).map(decodeURIComponent));
    } catch (error) {
      if (!signal.aborted) {
        if (error.status === 404) show(h('section.panel.empty', null, h('h1', null, 'Not found'), h('p', null, error.message)));
        else failed(error);
      }
    }
    return;
  }
  location.replace('#/workflows');
}

function askForKey(fault) {
  const field = h('input', {id: 'key', type: 'password', autocomplete: 'off', required: true, minlength: 16});
  const submit = (event) => {
    event.preventDefault();
    key.set(field.value.trim());
    open();
  };
  show(h('section.panel', null, h('h1', null, 'This service needs its API key'),
    h('form', {submit}, h('label', {for: 'key'}, 'API key'), field,
      h('p.dim', null, 'It is kept in this tab only, and forgotten when you close it.'),
      fault ? h('p.fault', {role: 'alert'}, fault) : null, h('button.main', {type: 'submit'}, 'Open'))));
  field.focus();
}

document.getElementById('forget').addEventListener('click', () => { key.forget(); specsByType = null; open(); });
addEventListener('hashchange', open);
get('/').then((health) => { document.getElementById('version').textContent = health.version; }, () => {});
open();
