// One run: live while it lasts, complete afterwards.

async function runPage(id, signal) {
  const path = '/executions/' + segment(id);
  const [record, def, specs] = await Promise.all([get(path, signal), get(path + '/workflow', signal), nodeTypes()]);
  const run = {
    id, record, def, nodes: new Map(), inside: new Map(), chosen: null, full: null,
    began: new Date(record.startedAt).getTime(), result: null, error: null,
  };
  const view = runView(run, specs);
  show(view.elements);
  let due = false;
  const redraw = () => {
    if (due) return;
    due = true; // many events, one drawing
    requestAnimationFrame(() => { due = false; view.update(); });
  };
  const ticking = setInterval(() => { if (!run.result) redraw(); }, 500);
  signal.addEventListener('abort', () => clearInterval(ticking), {once: true});
  redraw();
  const lost = (is) => notice(is ? 'The connection is lost; trying again…' : null);
  follow(id, signal, (name, event) => { note(run, name, event); redraw(); }, lost)
    .catch((error) => { if (!signal.aborted) failed(error); })
    .finally(() => clearInterval(ticking));
}

// note keeps what an event tells.
function note(run, name, event) {
  if (name === 'completed' || name === 'failed') {
    run.result = event.result;
    run.error = event.error || null;
    return;
  }
  if (!event.nodeId) {
    run.began = new Date(event.time).getTime();
    return;
  }
  const [outer, ...inner] = event.nodeId.split('/');
  if (inner.length) {
    if (name === 'event') run.inside.set(outer, (run.inside.get(outer) || 0) + 1);
    return;
  }
  const node = run.nodes.get(outer) || {};
  const time = new Date(event.time).getTime() - run.began;
  if (name === 'started') Object.assign(node, {status: 'running', start: time});
  if (name === 'progress') node.progress = event;
  if (name === 'event') Object.assign(node, event, {end: time, start: Math.max(0, time - (event.durationMs || 0))});
  run.nodes.set(outer, node);
}

function statusText(run, id, node) {
  if (node.status === 'running') {
    const step = node.progress;
    if (step && step.error) return 'again in ' + duration(step.retryInMs);
    if (step && step.total) return step.step + ' of ' + step.total;
    if (run.inside.get(id)) return run.inside.get(id) + ' inside';
    return (step && step.message) || 'running';
  }
  if (node.status === 'succeeded') return (node.reused ? 'reused' : duration(node.durationMs)) + (run.inside.get(id) ? ' · ' + run.inside.get(id) + ' inside' : '');
  if (node.error) return (node.handled ? 'handled: ' : '') + node.error.code;
  return node.status || '';
}

function runView(run, specs) {
  const head = h('section.panel');
  const outputs = h('section.panel');
  const about = h('section.panel');
  const timeline = h('section.panel');
  const choose = (id) => { run.chosen = id; update(); };
  const drawing = graph(run.def, specs, choose);
  function update() {
    fill(head, runHead(run));
    for (const [id, node] of run.nodes) drawing.mark(id, node.status, shorten(statusText(run, id, node), 28));
    if (run.result) drawing.quiet((wire) => { const from = run.nodes.get(wire.fromNodeId); return from && from.outputs && wire.fromPort in from.outputs; });
    drawing.pick(run.chosen);
    fill(outputs, runOutputs(run));
    fill(timeline, h('h2', null, 'Timeline'), runTimeline(run, choose));
    fill(about, nodeDetails(run, specs, update));
  }
  return {elements: [head, drawing.element, h('div.two', null, h('div', null, outputs, h('p'), timeline), about)], update};
}

function runHead(run) {
  const word = run.result ? run.result.status : 'running';
  const act = (path, done) => async (event) => {
    event.target.disabled = true;
    try { done(await post('/executions/' + segment(run.id) + path)); } catch (error) { failed(error); }
  };
  const open = (answer) => { location.hash = '#/runs/' + segment(answer.runId); };
  const took = run.result ? run.result.durationMs : Date.now() - run.began;
  return [
    h('div.head', null, h('h1', null, run.def.name || run.def.id || 'Run'), h('span', {'aria-live': 'polite'}, state(word)),
      h('span.dim', null, duration(Math.max(0, took))), h('span.grow'),
      run.result ? null : h('button', {type: 'button', click: act('/cancel', () => {})}, 'Cancel'),
      run.result && word !== 'completed' ? h('button.main', {type: 'button', click: act('/resume', open)}, 'Resume') : null),
    h('p.dim', null, h('span.mono', null, run.id), ' · started ', moment(run.record.startedAt),
      run.record.resumedFrom ? [' · goes on with ', h('a.mono', {href: '#/runs/' + segment(run.record.resumedFrom)}, run.record.resumedFrom)] : null),
    run.error ? h('p.fault', null, (run.error.nodeId ? run.error.nodeId + ': ' : '') + run.error.message + ' (' + run.error.code + ')') : null,
  ];
}

function runOutputs(run) {
  const values = run.result ? run.result.outputs : {};
  const none = run.result ? 'The run put out nothing.' : 'They come when the run has ended.';
  return [h('h2', null, 'Outputs'), Object.keys(values || {}).length ? shownByName(values) : h('p.dim', null, none)];
}

function runTimeline(run, choose) {
  const now = run.result ? Math.max(run.result.durationMs, 0.001) : Math.max(Date.now() - run.began, 1);
  const rows = [...run.nodes].filter(([, node]) => node.start !== undefined && node.status !== 'skipped').map(([id, node]) => {
    const end = node.end === undefined ? now : node.end;
    const bar = h('span.span.' + node.status);
    bar.style.left = Math.min(99, 100 * node.start / now) + '%';
    bar.style.width = Math.max(0, Math.min(100, 100 * (end - node.start) / now)) + '%';
    return [h('a.name', {href: location.hash, click: (event) => { event.preventDefault(); choose(id); }}, id),
      h('div.track', null, bar), h('span.dim', null, duration(node.durationMs))];
  });
  return rows.length ? h('div.timeline', null, rows) : h('p.dim', null, 'No node has run yet.');
}

// inputsOf returns what a node got: from its wires what their sources put out,
// else what it is set to.
function inputsOf(run, id) {
  const node = run.def.nodes.find((node) => node.id === id);
  const inputs = {...(node.config || {})};
  const wired = {};
  for (const wire of run.def.connections.filter((wire) => wire.toNodeId === id)) {
    const from = outputsOf(run, wire.fromNodeId);
    if (from && wire.fromPort in from) (wired[wire.toPort] ||= []).push(from[wire.fromPort]);
  }
  for (const [port, values] of Object.entries(wired)) inputs[port] = values.length === 1 ? values[0] : values;
  return inputs;
}

function outputsOf(run, id) {
  if (run.full && run.full.nodes[id]) return run.full.nodes[id].outputs;
  return (run.nodes.get(id) || {}).outputs;
}

function nodeDetails(run, specs, update) {
  const definition = run.def.nodes.find((node) => node.id === run.chosen);
  if (!definition) return [h('h2', null, 'Node'), h('p.dim', null, 'Choose a node to see what went in and what came out.')];
  const node = run.nodes.get(run.chosen) || {};
  const spec = specs.get(definition.type);
  const [inputs, outputs] = [inputsOf(run, run.chosen), outputsOf(run, run.chosen) || {}];
  const elided = [...Object.values(inputs), ...Object.values(outputs)].some((value) => value && value.$elided);
  const everything = async () => {
    try { run.full = (await get('/executions/' + segment(run.id) + '?full=true')).result; update(); } catch (error) { failed(error); }
  };
  return [
    h('div.head', null, h('h2', null, definition.label || (spec ? spec.label : definition.type)), state(node.status || 'pending')),
    h('p.dim.mono', null, definition.type + ' · ' + definition.id),
    node.attempts > 1 ? h('p', null, node.attempts + ' attempts') : null,
    node.durationMs !== undefined ? h('p.dim', null, duration(node.durationMs)) : null,
    node.error ? h('p.fault', null, node.error.message + ' (' + node.error.code + ')') : null,
    node.skippedBecause ? h('p.dim', null, 'Skipped: ' + node.skippedBecause.nodeId + ' ' + node.skippedBecause.reason.replace('_', ' ')) : null,
    elided && run.result && !run.full ? h('button', {type: 'button', click: everything}, 'Show everything') : null,
    h('h2', null, 'Inputs'), shownByName(inputs), h('h2', null, 'Outputs'), shownByName(outputs),
  ];
}
