// Which page is shown, and the key.

const pages = [
  [/^#\/workflows$/, (signal) => workflowsPage(signal)],
  [/^#\/workflows\/([^/]+)$/, (signal, id) => workflowPage(id, signal)],
  [/^#\/workflows\/([^/]+)\/json$/, (signal, id) => pastePage(id, signal)],
  [/^#\/new$/, (signal) => pastePage('', signal)],
  [/^#\/runs$/, (signal) => runsPage(signal)],
  [/^#\/runs\?status=([a-z]+)$/, (signal, status) => runsPage(signal, status)],
  [/^#\/runs\/([^/]+)$/, (signal, id) => runPage(id, signal)],
  [/^#\/accounts$/, (signal) => accountsPage(signal)],
  [/^#\/api$/, (signal) => referencePage(signal)],
];

let leaving = new AbortController();

// failed shows what went wrong, and asks for the key if that is what is missing: other
// tabs first, then who is here.
async function failed(error) {
  if (error.name === 'AbortError') return;
  if (!(error instanceof Problem) || error.status !== 401) return notice(error.message);
  const had = key.get();
  if (had) key.refused();
  if (!had && await key.ask()) open();
  else askForKey(had ? 'The service does not take this key.' : '');
}

async function open() {
  leaving.abort();
  leaving = new AbortController();
  const {signal} = leaving;
  notice('');
  forgetFiles();
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
  leaving.abort();
  titled('Key');
  const field = h('input', {id: 'key', type: 'password', autocomplete: 'off', required: true, minlength: 16, 'aria-describedby': 'key-place'});
  const submit = (event) => {
    event.preventDefault();
    key.set(field.value.trim());
    open();
  };
  show(h('section.panel.narrow', null, h('h1', null, 'This service needs its API key'),
    h('form', {submit}, h('label', {for: 'key'}, 'API key'), field,
      h('p.dim', {id: 'key-place'}, 'Whoever runs the server finds it in the file ', h('code', null, 'api-key'), ' in its data directory, unless ', h('code', null, 'SVC_API_KEY'),
        ' is set where it runs: then it is that. ', h('code', null, 'svc serve'), ' says which when it starts.'),
      h('p.dim', null, 'This browser keeps it for the tabs of this page until the last of them is closed: in no cookie, and in no file.'),
      fault ? h('p.fault', {role: 'alert'}, fault) : null, h('button.main', {type: 'submit'}, 'Open'))));
  field.focus();
}

document.getElementById('forget').addEventListener('click', () => { key.forget(); specsByType = null; open(); });
key.changed(() => { specsByType = null; open(); });
addEventListener('hashchange', async () => {
  await open();
  document.getElementById('main').focus({preventScroll: true});
});
get('/').then((health) => { document.getElementById('version').textContent = health.version; }, () => {});
open();
