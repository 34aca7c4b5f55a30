// The pages about workflows: what is stored, and starting it.

async function workflowsPage(signal) {
  titled('Workflows');
  const first = await workflowsFrom('', signal);
  const paste = h('a.button', {href: '#/new'}, 'New from JSON');
  if (!first.metas.length && !first.next) return show(await emptyList(signal, paste));
  const list = h('div');
  const more = h('button', {type: 'button', click: () => load().catch(failed)}, 'Show more');
  let [metas, next] = [[], ''];
  const take = (page) => {
    metas = metas.concat(page.metas);
    next = page.next;
    more.hidden = !next;
    refill(list, workflowsTable(metas));
  };
  const load = async () => {
    more.disabled = true;
    try { take(await workflowsFrom(next, signal)); } finally { more.disabled = false; }
  };
  take(first);
  show(h('section.panel', null, h('div.head', null, h('h1', null, 'Workflows'), h('span.grow'), paste), list, more));
}

// workflowsFrom asks for a page of workflows, and for where the next one begins.
async function workflowsFrom(cursor, signal) {
  const answer = await send('GET', '/workflows?limit=50' + (cursor && '&cursor=' + segment(cursor)), {signal});
  const [, link] = /<([^>]*)>; rel="next"/.exec(answer.headers.get('Link') || '') || [];
  return {metas: exact(await answer.text()), next: link ? new URL(link, location).searchParams.get('cursor') : ''};
}

function workflowsTable(metas) {
  const link = (meta) => '#/workflows/' + segment(meta.id);
  return stacked(['Name', 'State', 'Nodes', 'Revision', 'Changed'], metas.map((meta) => h('tr', null,
    h('td', null, h('a', {href: link(meta)}, meta.name || meta.id), h('div.dim.mono', null, meta.id),
      meta.description ? h('div.dim', null, shorten(meta.description, 160)) : null),
    h('td', null, state(meta.damaged ? 'damaged' : meta.valid ? 'valid' : meta.unchecked ? 'unchecked' : 'draft')),
    h('td.number', null, meta.nodeCount), h('td.number', null, meta.revision),
    h('td.number', null, moment(meta.updatedAt)))));
}

// emptyList names the folder that is looked into, since an empty list is most often that
// of another one.
async function emptyList(signal, paste) {
  const {dataDirectory} = await get('/service', signal);
  return h('section.panel.empty', null, h('h1', null, 'No workflows yet'),
    h('p', null, 'This server keeps what it has in ', h('code', null, dataDirectory), '. If you expected workflows, it may have been started with another ', h('code', null, '--data'), '.'),
    h('p', null, 'Save one in the editor, with ', h('code', null, 'svc workflows save FILE'), ', with POST /workflows, or paste one here.'), paste);
}

async function workflowPage(id, signal) {
  const [def, specs] = await Promise.all([get('/workflows/' + segment(id), signal), nodeTypes()]);
  titled(def.name || id);
  const problems = await post('/validate', def);
  const hints = problems.length ? [] : await post('/hints', def);
  const runs = await runList({limit: 10, workflowId: id}, signal, h('p.dim', null, 'It has not run yet.'));
  const news = {active: null, tell: () => {}};
  const triggers = await triggersPanel(id, def, specs, signal, news);
  const about = h('section.panel', null, h('h2', null, 'Node'), h('p.dim', null, 'Choose a node to see what it is set to.'));
  let drawing = null; // until its outermost level is drawn
  const blame = () => {
    if (!drawing) return;
    const at = drawing.here.path.join('/');
    for (const {nodeId, code} of problems) {
      if (!nodeId) continue;
      const parts = nodeId.split('/');
      const depth = drawing.here.path.length;
      if (parts.slice(0, depth).join('/') !== at) continue;
      drawing.here.drawing.mark(parts[depth], 'failed', 'problem', code);
      drawing.here.drawing.mark(parts.slice(depth).join('/'), 'failed', 'problem', code);
    }
  };
  const choose = (name) => {
    drawing.here.drawing.pick(drawing.hereOf(name));
    fill(about, nodeSettings(def, name, specs, drawing));
  };
  drawing = await board(def, specs, {choose, level: blame});
  blame();
  show(
    h('section.panel', null, h('div.head', null, h('h1', null, def.name || id), h('span.dim.mono', null, id), h('span.grow'),
      h('a.button', {href: '#/workflows/' + segment(id) + '/json'}, 'JSON')), def.description ? h('p', null, def.description) : null),
    problems.length ? problemsPanel(problems, def) : null,
    hints.length ? hintsPanel(hints, def) : null,
    drawing.element,
    triggers,
    h('div.two', null, h('section.panel', null, h('h2', null, 'Start a run'), startForm(def, specs, {stored: true, news})), about),
    h('section.panel', null, h('h2', null, 'Last runs'), runs.elements));
  live(runs.load, signal);
}

function problemsPanel(problems, def) {
  return h('section.panel', null, h('h2', null, problems.length === 1 ? 'One problem' : problems.length + ' problems'),
    problems.map((problem) => h('p.fault', null, (problem.nodeId ? calledIn(def, problem.nodeId) + ': ' : '') + problem.message + (problem.hint ? ' — ' + problem.hint : ''))));
}

// hintsPanel lists in grey what is valid but may not be meant.
function hintsPanel(hints, def) {
  return h('section.panel.hints', null, h('h2.dim', null, hints.length === 1 ? 'One hint' : hints.length + ' hints'),
    hints.map((hint) => h('p.dim', null, (hint.nodeId ? calledIn(def, hint.nodeId) + ': ' : '') + hint.message)));
}

function nodeSettings(def, name, specs, drawing) {
  const node = nodeIn(def, name);
  const spec = specs.get(node.type);
  return [
    h('h2', null, nameOf(node)), h('p.dim', null, spec ? spec.label + ' · ' : null, h('span.mono', null, node.type + ' · ' + name)),
    node.body ? h('p', null, h('button', {type: 'button', click: () => drawing.open(name.split('/'))}, 'Open its body')) : null,
    spec ? h('p', null, marked(spec.description.split('\n')[0])) : null, shownByName(node.config),
  ];
}
