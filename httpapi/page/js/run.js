// One run: live while it lasts, complete afterwards.

async function runPage(id, signal) {
  const path = '/executions/' + segment(id);
  const [record, def, inputs, specs] = await Promise.all([get(path, signal), get(path + '/workflow', signal), get(path + '/inputs', signal), nodeTypes()]);
  const run = {
    id, record, def, inputs, specs, signal, state: newState(), steps: newSteps(), items: new Map(), chosen: null, full: null,
    stored: await isStored(def.id), lost: '',
  };
  run.state.started = Date.parse(record.startedAt);
  titled(def.name || def.id || 'Run');
  const view = await runView(run);
  if (signal.aborted) return;
  show(view.elements);
  let due = false;
  const redraw = () => {
    if (due || signal.aborted) return;
    due = true; // many events, one drawing
    requestAnimationFrame(() => { due = false; if (!signal.aborted) view.update(); });
  };
  const ticking = setInterval(() => { if (!isOver(run.state)) redraw(); }, 500);
  signal.addEventListener('abort', () => clearInterval(ticking), {once: true});
  redraw();
  const lost = (is) => notice(is ? 'The connection is lost; trying again…' : null);
  const seen = (name, event) => {
    apply(run.state, name, event);
    run.seq = event.seq;
    keepStep(run.steps, name, event);
    if (name === 'failed') view.showFailure();
    redraw();
  };
  follow(id, signal, seen, lost)
    .catch((error) => { if (!signal.aborted) failed(error); })
    .finally(() => clearInterval(ticking));
}

// isStored tells whether a workflow is stored now, so that it can be opened and repaired.
async function isStored(id) {
  if (!id) return false;
  try {
    await send('HEAD', '/workflows/' + segment(id));
    return true;
  } catch (error) {
    if (error instanceof Problem && error.status !== 401) return false;
    throw error;
  }
}

async function runView(run) {
  const [head, inputs, outputs, about, timeline, looks] = ['told', 'inputs', 'outputs', 'about', 'times', 'looks'].map((name) => h('section.panel.' + name));
  const actions = runActions(run);
  const told = h('div');
  fill(head, told, actions.element);
  fill(inputs, h('h2', null, 'Inputs'), Object.keys(run.inputs).length ? shownByName(run.inputs) : h('p.dim', null, 'It was started without inputs.'));
  const drawn = {};
  // once fills a panel if what it shows has changed, so that nothing closes under a reader.
  const once = (panel, sign, make) => {
    if (drawn[panel.className] === sign) return;
    drawn[panel.className] = sign;
    fill(panel, make());
  };
  const choose = (name) => { run.chosen = name; update(); };
  let workflow = null; // until its outermost level is drawn
  workflow = await board(run.def, run.specs, {choose, level: () => update(), items: (path) => itemChooser(run, path, () => { workflow.tell(); update(); })});
  function update() {
    if (!workflow) return;
    const {here} = workflow;
    actions.update();
    fill(told, runHead(run));
    markLevel(run, here);
    here.drawing.pick(run.chosen && workflow.hereOf(run.chosen));
    const over = isOver(run.state);
    once(outputs, JSON.stringify([over, run.state.outputs]), () => runOutputs(run));
    once(timeline, over ? 'over' : String(performance.now()), () => [h('h2', null, 'Timeline'), runTimeline(run, (name) => open(name))]);
    once(about, JSON.stringify([run.chosen, run.chosen && [stateIn(run, run.chosen), inputsOf(run, run.chosen), stepOf(run, run.chosen)], Boolean(run.full), over]), () => nodeDetails(run, update, workflow));
    const looked = run.def.nodes.filter((node) => (run.specs.get(node.type) || {}).shows && stateIn(run, node.id) === 'succeeded');
    looks.hidden = !looked.length;
    once(looks, JSON.stringify(looked.map((node) => [node.id, outputsOf(run, node.id)])), () => previews(run, looked));
    refreshCrumbs(workflow, run);
  }
  // open chooses a node wherever it is.
  function open(name) {
    const [path, here] = [name.split('/'), workflow.hereOf(name)];
    if (here === null) {
      workflow.open(path.slice(0, -1), path.at(-1));
      return;
    }
    choose(name);
    workflow.here.drawing.reveal(here);
  }
  // showFailure leads to the node that failed, in its body and its round.
  function showFailure() {
    if (run.chosen) return;
    const {state: {error, top}} = run;
    const stuck = top.find((node) => stateOf(node) === 'failed' && !(node.last && node.last.handled)); // where the service was stopped
    const id = (error && error.nodeId) || (stuck && stuck.name);
    if (!id) return;
    const step = [...run.steps.kept.values()].find((step) => step.status === 'failed' && !step.handled && step.path.startsWith(id + '/'));
    if (!step) {
      open(id);
      return;
    }
    const parts = step.path.split('/');
    for (let i = 1; i < parts.length; i += 2) run.items.set(nodeOf(parts.slice(0, i).join('/')), Number(parts[i]));
    open(nodeOf(step.path));
  }
  return {elements: [head, workflow.element, h('div.two', null, h('div.column', null, outputs, looks, timeline, inputs), about)], update, showFailure};
}

// refreshCrumbs tells of rounds that have begun, unless somebody is choosing one.
function refreshCrumbs(workflow, run) {
  const {path, drawing} = workflow.here;
  const containers = [...path.map((_, i) => path.slice(0, i + 1)), ...drawing.unfolded().map((name) => [...path, ...name.split('/')])];
  const sign = containers.map((names) => (stepPath(names, run.items) === null ? 0 : roundsOf(run.steps, names, run.items))).join();
  if (workflow.sign !== sign && !workflow.element.querySelector('.crumbs:focus-within')) {
    workflow.sign = sign;
    workflow.tell();
  }
}

// markLevel shows the states of the nodes that are drawn.
function markLevel(run, {path, drawing}) {
  for (const here of drawing.names()) {
    const name = [...path, here].join('/');
    const word = stateIn(run, name);
    const [short, long] = statusTexts(run, name, word);
    drawing.mark(here, word, short, long);
  }
  if (isOver(run.state)) drawing.quiet((wire, level) => carried(run, [...path, ...level], wire));
}

// previews shows what nodes are there to show, without anybody looking for it.
function previews(run, nodes) {
  return [h('h2', null, 'Shown'), nodes.map((node) => {
    const spec = run.specs.get(node.type);
    const inputs = inputsOf(run, node.id);
    return [h('h3', null, nameOf(node)), shown(outputsOf(run, node.id)[spec.shows.port] ?? null, wishOf(spec.shows, inputs))];
  })];
}
