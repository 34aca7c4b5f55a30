// One run: live while it lasts, complete afterwards.

async function runPage(id, signal) {
  const path = '/executions/' + segment(id);
  const [record, def, specs] = await Promise.all([get(path, signal), get(path + '/workflow', signal), nodeTypes()]);
  const run = {id, record, def, state: newState(), chosen: null, full: null};
  run.state.started = Date.parse(record.startedAt);
  const view = runView(run, specs);
  show(view.elements);
  let due = false;
  const redraw = () => {
    if (due) return;
    due = true; // many events, one drawing
    requestAnimationFrame(() => { due = false; view.update(); });
  };
  const ticking = setInterval(() => { if (!isOver(run.state)) redraw(); }, 500);
  signal.addEventListener('abort', () => clearInterval(ticking), {once: true});
  redraw();
  const lost = (is) => notice(is ? 'The connection is lost; trying again…' : null);
  follow(id, signal, (name, event) => { apply(run.state, name, event); redraw(); }, lost)
    .catch((error) => { if (!signal.aborted) failed(error); })
    .finally(() => clearInterval(ticking));
}

// sinceStart is a moment as the run counts time.
const sinceStart = (run, moment) => Math.max(0, moment - run.state.started);

function statusText(node) {
  const {done} = inside(node);
  if (node.running.size) {
    const [step] = node.running.values();
    if (step.retry) return 'again in ' + duration(step.retry.in);
    if (node.total) return node.step + ' of ' + node.total;
    return done ? done + ' inside' : node.message || 'running';
  }
  if (node.status === 'succeeded') return (node.last.reused ? 'reused' : duration(node.last.duration)) + (done ? ' · ' + done + ' inside' : '');
  if (node.error) return (node.last.handled ? 'handled: ' : '') + node.error.code;
  return node.status === 'pending' ? '' : node.status;
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
    for (const node of run.state.top) drawing.mark(node.name, stateOf(node), shorten(statusText(node), 28));
    if (isOver(run.state)) drawing.quiet((wire) => carried(run, wire));
    drawing.pick(run.chosen);
    fill(outputs, runOutputs(run));
    fill(timeline, h('h2', null, 'Timeline'), runTimeline(run, choose));
    fill(about, nodeDetails(run, specs, update));
  }
  return {elements: [head, drawing.element, h('div.two', null, h('div', null, outputs, h('p'), timeline), about)], update};
}

function runHead(run) {
  const {state: {status, error}, record} = run;
  const over = isOver(run.state);
  const word = over ? status : 'running';
  const act = (path, done, body) => async (event) => {
    event.target.disabled = true;
    try { done(await post('/executions/' + segment(run.id) + path, body)); } catch (error) { failed(error); }
  };
  const open = (answer) => { location.hash = '#/runs/' + segment(answer.runId); };
  const took = over ? run.state.took : Date.now() - run.state.started;
  return [
    h('div.head', null, h('h1', null, run.def.name || run.def.id || 'Run'), h('span', {'aria-live': 'polite'}, state(word)),
      h('span.dim', null, duration(Math.max(0, took))), h('span.grow'),
      over ? null : h('button', {type: 'button', click: act('/cancel', () => {})}, 'Cancel'),
      over && word !== 'completed' ? h('button.main', {type: 'button', click: act('/resume', open)}, 'Resume') : null,
      over && run.def.id ? h('button', {
        type: 'button', title: 'Goes on with the workflow as it is stored now; what it does not change is not run again.',
        click: act('/resume', open, {workflow: 'current'}),
      }, 'Repair and go on') : null),
    h('p.dim', null, h('span.mono', null, run.id), ' · started ', moment(record.startedAt),
      record.resumedFrom ? [' · goes on with ', h('a.mono', {href: '#/runs/' + segment(record.resumedFrom)}, record.resumedFrom)] : null),
    error ? h('p.fault', null, (error.nodeId ? error.nodeId + ': ' : '') + error.message + ' (' + error.code + ')') : null,
  ];
}

function runOutputs(run) {
  const values = run.state.outputs || {};
  const none = isOver(run.state) ? 'The run put out nothing.' : 'They come when the run has ended.';
  return [h('h2', null, 'Outputs'), Object.keys(values).length ? shownByName(values) : h('p.dim', null, none)];
}

function runTimeline(run, choose) {
  const now = isOver(run.state) ? Math.max(run.state.took, 0.001) : Math.max(Date.now() - run.state.started, 1);
  const rows = run.state.top.filter((node) => node.started !== null && node.status !== 'skipped').map((node) => {
    const start = sinceStart(run, node.started);
    const end = node.running.size ? now : sinceStart(run, node.ended);
    const bar = h('span.span.' + stateOf(node));
    bar.style.left = Math.min(99, 100 * start / now) + '%';
    bar.style.width = Math.max(0, Math.min(100, 100 * (end - start) / now)) + '%';
    return [h('a.name', {href: location.hash, click: (event) => { event.preventDefault(); choose(node.name); }}, node.name),
      h('div.track', null, bar), h('span.dim', null, node.last ? duration(node.last.duration) : null)];
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
    if (wire.fromPort in from) (wired[wire.toPort] ||= []).push(from[wire.fromPort]);
  }
  for (const [port, values] of Object.entries(wired)) inputs[port] = values.length === 1 ? values[0] : values;
  return inputs;
}

// carried tells whether a wire has brought something; outputs do not tell of controls.
function carried(run, wire) {
  const node = run.state.nodes.get(wire.fromNodeId);
  switch (wire.fromPort) {
    case '$done': return Boolean(node) && stateOf(node) === 'succeeded';
    case '$error': return Boolean(node) && stateOf(node) === 'failed';
    default: return wire.fromPort in outputsOf(run, wire.fromNodeId);
  }
}

function outputsOf(run, id) {
  const node = run.full ? run.full.nodes[id] : (run.state.nodes.get(id) || {}).last;
  return node && node.outputs || {};
}

function nodeDetails(run, specs, update) {
  const definition = run.def.nodes.find((node) => node.id === run.chosen);
  if (!definition) return [h('h2', null, 'Node'), h('p.dim', null, 'Choose a node to see what went in and what came out.')];
  const node = run.state.nodes.get(run.chosen);
  const last = node && node.last;
  const spec = specs.get(definition.type);
  const [inputs, outputs] = [inputsOf(run, run.chosen), outputsOf(run, run.chosen)];
  const elided = [...Object.values(inputs), ...Object.values(outputs)].some(isElided);
  const everything = async () => {
    try { run.full = (await get('/executions/' + segment(run.id) + '?full=true')).result; update(); } catch (error) { failed(error); }
  };
  return [
    h('div.head', null, h('h2', null, definition.label || (spec ? spec.label : definition.type)), state(node ? stateOf(node) : 'pending')),
    h('p.dim.mono', null, definition.type + ' · ' + definition.id),
    last && last.attempts > 1 ? h('p', null, last.attempts + ' attempts') : null,
    last ? h('p.dim', null, duration(last.duration)) : null,
    last && last.error ? h('p.fault', null, last.error.message + ' (' + last.error.code + ')') : null,
    last && last.skipped ? h('p.dim', null, 'Skipped: ' + last.skipped.nodeId + ' ' + last.skipped.reason.replace('_', ' ')) : null,
    elided && isOver(run.state) && !run.full ? h('button', {type: 'button', click: everything}, 'Show everything') : null,
    h('h2', null, 'Inputs'), shownByName(inputs), h('h2', null, 'Outputs'), shownByName(outputs, spec && spec.shows ? {[spec.shows.port]: wishOf(spec.shows, inputs)} : null),
  ];
}
