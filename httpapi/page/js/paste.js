// A workflow as JSON: pasted or loaded, checked while one types, and saved.

async function pastePage(id, signal) {
  titled(id ? id + ' as JSON' : 'New from JSON');
  const opened = {id, tag: ''};
  let text = '';
  if (id) {
    const answer = await send('GET', '/workflows/' + segment(id), {signal});
    opened.tag = answer.headers.get('ETag');
    text = JSON.stringify(exact(await answer.text()), null, 2);
  }
  const area = h('textarea.document.mono', {id: 'document', spellcheck: 'false', wrap: 'off', 'aria-label': 'The workflow as JSON', placeholder: 'Paste a workflow'});
  area.value = text;
  const lines = h('div.lines.mono', {'aria-hidden': 'true'});
  const verdict = h('div.verdict', {role: 'status'});
  const save = h('button.main', {type: 'button', click: () => saveText(area, opened, verdict)}, 'Save');
  let checking = new AbortController();
  let timer = 0;
  const check = async () => {
    checking.abort();
    checking = new AbortController();
    const mine = checking;
    if (!area.value.trim()) return fill(verdict, h('p.dim', null, 'Its problems will be listed here.'));
    try {
      const found = await faultsOf(area.value);
      if (mine === checking && !signal.aborted) fill(verdict, verdictOn(found, area));
    } catch (error) {
      if (mine === checking && !signal.aborted) failed(error);
    }
  };
  const number = () => { lines.textContent = Array.from({length: area.value.split('\n').length}, (_, i) => i + 1).join('\n'); lines.scrollTop = area.scrollTop; };
  area.addEventListener('input', () => { number(); clearTimeout(timer); timer = setTimeout(check, 400); });
  area.addEventListener('scroll', () => { lines.scrollTop = area.scrollTop; });
  signal.addEventListener('abort', () => clearTimeout(timer), {once: true});
  show(h('section.panel', null,
    h('div.head', null, h('h1', null, id || 'New from JSON'), h('span.grow'),
      id ? h('a.button', {href: '#/workflows/' + segment(id)}, 'Back') : null, save),
    h('div.paper', null, lines, area), verdict));
  number();
  check();
  area.focus();
  area.setSelectionRange(0, 0);
  area.scrollTop = 0;
}

// faultsOf asks the service what is wrong with a text, and where in it that is. Of one
// that is right it tells hints.
async function faultsOf(text) {
  const wrong = whereIn(text);
  if (wrong) return {faults: [{index: wrong.index, text: 'This is no JSON: ' + wrong.reason + '.'}], hints: []};
  const places = placesIn(text);
  let problems;
  try {
    problems = await post('/validate', text);
  } catch (error) {
    if (error.status !== 400 && error.status !== 413) throw error;
    const index = error.offset === undefined ? 0 : indexOfByte(text, error.offset);
    return {faults: [{index, text: error.message.replace(/^offset \d+, /, '')}], hints: []};
  }
  const def = exact(text);
  const located = (problem) => ({index: places.get(pointerOf(def, problem)) || 0, text: (problem.nodeId ? problem.nodeId + ': ' : '') + problem.message + (problem.hint ? ' — ' + problem.hint : '')});
  const hints = problems.length ? [] : await post('/hints', text);
  return {faults: problems.map(located), hints: hints.map(located)};
}

// pointerOf returns the place of a problem in a document: of its connection, else of its
// node, as near to its port as the document has it.
function pointerOf(def, problem) {
  if (problem.connection !== undefined) return '/connections/' + problem.connection;
  if (!problem.nodeId) return '';
  let [level, pointer] = [def, ''];
  for (const [i, id] of problem.nodeId.split('/').entries()) {
    if (i) pointer += '/body';
    const at = ((level && level.nodes) || []).findIndex((node) => node.id === id);
    if (at < 0) return pointer;
    pointer += '/nodes/' + at;
    level = level.nodes[at].body;
    if (i === problem.nodeId.split('/').length - 1 && problem.port) {
      const node = problem.nodeId.split('/').slice(0, i).reduce((def, id) => def.nodes.find((node) => node.id === id).body, def).nodes[at];
      if (node.config && Object.hasOwn(node.config, problem.port)) return pointer + '/config/' + problem.port.replaceAll('~', '~0').replaceAll('/', '~1');
    }
  }
  return pointer;
}

// indexOfByte returns the place in a text of a byte of its UTF-8.
const indexOfByte = (text, offset) => new TextDecoder().decode(new TextEncoder().encode(text).slice(0, offset)).length;

function verdictOn({faults, hints}, area) {
  const row = (one, look) => {
    const {line, column} = lineAt(area.value, one.index);
    const go = () => {
      area.focus();
      area.setSelectionRange(one.index, one.index + 1);
      area.scrollTop = (line - 4) * parseFloat(getComputedStyle(area).lineHeight);
    };
    return h('li.' + look, null, h('button.link', {type: 'button', click: go}, 'Line ' + line + ', column ' + column), ' ', one.text);
  };
  if (faults.length) return [h('h2', null, faults.length === 1 ? 'One problem' : faults.length + ' problems'), h('ul.faults', null, faults.map((one) => row(one, 'fault')))];
  return [h('p', null, state('valid'), ' · It can run.'), hints.length ? h('ul.faults', null, hints.map((one) => row(one, 'dim'))) : null];
}

// saveText stores the text: in place of what was opened, if nobody has changed that, or as
// a workflow that is not there yet.
async function saveText(area, opened, verdict, over = false) {
  try {
    const def = exact(area.value);
    const same = opened.id && def.id === opened.id;
    const headers = over ? {} : same ? {'If-Match': opened.tag} : {'If-None-Match': '*'};
    const answer = await send('POST', '/workflows', {body: area.value, headers});
    const meta = exact(await answer.text());
    location.hash = '#/workflows/' + segment(meta.id);
  } catch (error) {
    if (error.status === 412) {
      const anyway = h('button', {type: 'button', click: () => saveText(area, opened, verdict, true)}, 'Save over it');
      const taken = opened.id ? 'Somebody has changed this workflow since you opened it.' : 'There is already a workflow with this id.';
      fill(verdict, h('p.fault', {role: 'alert'}, taken + ' Nothing was saved.'), anyway);
    } else if (error instanceof Problem && error.status === 401) failed(error);
    else fill(verdict, h('p.fault', {role: 'alert'}, 'It is not saved: ' + error.message));
  }
}
