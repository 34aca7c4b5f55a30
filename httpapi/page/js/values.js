// What went into the nodes of a run and what came out of them, on any level and in any
// round of a loop.

// stepOf returns what is known of a node: of the round that is chosen, else all together.
function stepOf(run, name) {
  const names = name.split('/');
  const path = names.length > 1 ? stepPath(names, run.items) : null;
  if (path !== null) return run.steps.kept.get(path) || null;
  const node = run.state.nodes.get(name);
  return (node && node.last) || null;
}

// stateIn returns the state of a node in the same way.
function stateIn(run, name) {
  const names = name.split('/');
  if (names.length > 1 && stepPath(names, run.items) !== null) {
    const step = stepOf(run, name);
    return step ? step.status : 'pending';
  }
  const node = run.state.nodes.get(name);
  return node ? stateOf(node) : isOver(run.state) && run.state.status === 'cancelled' ? 'cancelled' : 'pending';
}

function outputsOf(run, name) {
  const full = run.full && !name.includes('/') && Object.hasOwn(run.full.nodes, name) && run.full.nodes[name];
  const step = full || stepOf(run, name);
  return (step && step.outputs) || {};
}

// inputsOf returns what a node got: from its wires what their sources put out,
// else what it is set to.
function inputsOf(run, name) {
  const path = name.split('/');
  const level = levelOf(run.def, path.slice(0, -1));
  const id = path.at(-1);
  const inputs = new Map(Object.entries(level.nodes.find((node) => node.id === id).config || {}));
  const wired = new Map();
  for (const wire of level.connections.filter((wire) => wire.toNodeId === id)) {
    const from = outputsOf(run, [...path.slice(0, -1), wire.fromNodeId].join('/'));
    if (Object.hasOwn(from, wire.fromPort)) wired.set(wire.toPort, [...(wired.get(wire.toPort) || []), from[wire.fromPort]]);
  }
  for (const [port, values] of wired) inputs.set(port, values.length === 1 ? values[0] : values);
  return Object.fromEntries(inputs);
}

// carried tells whether a wire of a level has brought something; outputs do not tell of
// controls.
function carried(run, level, wire) {
  const name = [...level, wire.fromNodeId].join('/');
  switch (wire.fromPort) {
    case '$done': return stateIn(run, name) === 'succeeded';
    case '$error': return stateIn(run, name) === 'failed';
    default: return Object.hasOwn(outputsOf(run, name), wire.fromPort);
  }
}

// wishesOf returns how the node wants its outputs shown.
function wishesOf(spec, inputs) {
  return spec && spec.shows ? {[spec.shows.port]: wishOf(spec.shows, inputs)} : null;
}
