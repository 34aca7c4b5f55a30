// The state of a run, folded from its events. It is the state machine of engine/fold in
// Go, and held against that by the vectors in engine/fold/testdata: what is changed here
// is changed there. Times and durations are milliseconds.

const unknown = -1; // the count of items of which nobody has counted some

const newState = () => ({
  runId: '', workflowId: '', status: 'pending', error: null, outputs: null,
  started: null, ended: null, took: 0, order: [], nodes: new Map(), top: [],
});

const isOver = (state) => ['completed', 'failed', 'cancelled'].includes(state.status);

// severity orders the ends of a step, the worst last.
const severity = (status) => ['skipped', 'succeeded', 'cancelled', 'failed'].indexOf(status);

const nodeOf = (path) => path.split('/').filter((_, i) => i % 2 === 0).join('/');

const stateOf = (node) => node.running.size ? 'running' : node.status;

// isElided reports whether a value stands for one that was too large to be shown.
const isElided = (value) => Boolean(value) && typeof value === 'object' && Object.keys(value).length === 1 &&
  Boolean(value.$elided) && typeof value.$elided.bytes === 'number';

// inside counts the steps that have ended in the body of a node, and those that failed.
const inside = (node) => node.inner.reduce((sum, inner) => {
  const deeper = inside(inner);
  return {done: sum.done + inner.done + deeper.done, failed: sum.failed + inner.failed + deeper.failed};
}, {done: 0, failed: 0});

// apply takes over the next event of a run.
function apply(state, name, event) {
  if (isOver(state)) return;
  const time = Date.parse(event.time);
  if (!event.nodeId) applyRun(state, name, event, time);
  else if (name === 'started') begin(nodeAt(state, nodeOf(event.nodeId)), event.nodeId, time);
  else if (name === 'progress') applyProgress(nodeAt(state, nodeOf(event.nodeId)), event, time);
  else if (name === 'event') applyEnd(state, nodeAt(state, nodeOf(event.nodeId)), event, time);
}

function applyRun(state, name, event, time) {
  state.runId = event.runId || state.runId;
  state.workflowId = event.workflowId || state.workflowId;
  if (name === 'started') {
    state.status = 'running';
    if (state.started === null) state.started = time;
  } else if (name === 'completed' || name === 'failed') {
    finish(state, event.result);
  }
}

// nodeAt returns the node of a name, "loop/fmt", and gives a new one its place.
function nodeAt(state, name) {
  if (state.nodes.has(name)) return state.nodes.get(name);
  const node = {
    name, started: null, ended: null, status: 'pending', error: null, skipped: null, done: 0, failed: 0, last: null,
    running: new Map(), warnings: 0, items: Object.create(null), step: 0, total: 0, message: '', inner: [],
  };
  state.nodes.set(name, node);
  const cut = name.lastIndexOf('/');
  (cut > 0 ? nodeAt(state, name.slice(0, cut)).inner : state.top).push(node);
  return node;
}

const newStep = (path, started) => ({
  path, status: 'running', started, ended: null, duration: 0, attempts: 1, outputs: null, error: null,
  handled: false, reused: false, redacted: false, warnings: 0, skipped: null, retry: null,
});

function begin(node, path, time) {
  if (node.started === null) node.started = time;
  node.message = '';
  node.running.set(path, newStep(path, time));
}

function applyProgress(node, event, time) {
  node.message = event.message || '';
  if (event.step || event.total) Object.assign(node, {step: event.step || 0, total: event.total || 0});
  const step = node.running.get(event.nodeId);
  if (step && !event.error) step.retry = null;
  if (step && event.error) {
    step.attempts++;
    step.error = event.error;
    step.retry = {attempt: step.attempts, in: event.retryInMs || 0, at: time + (event.retryInMs || 0), error: event.error};
  }
  if (event.error) giveUp(node.inner, event.nodeId, time);
}

function applyEnd(state, node, event, time) {
  giveUp(node.inner, event.nodeId, time);
  if (!node.name.includes('/')) state.order.push(node.name);
  const duration = event.durationMs || 0;
  const step = node.running.get(event.nodeId) || newStep(event.nodeId, time - duration);
  end(node, Object.assign(step, {
    status: event.status, ended: time, duration, attempts: event.attempts || 0, outputs: event.outputs || null,
    error: event.error || null, handled: Boolean(event.handled), reused: Boolean(event.reused), redacted: Boolean(event.redacted), warnings: event.warnings || 0, skipped: event.skippedBecause || null,
  }));
}

// end takes over a step that has ended. The worst end of all is that of the node.
function end(node, step) {
  node.running.delete(step.path);
  step.retry = null;
  if (node.started === null) node.started = step.started;
  node.ended = step.ended;
  node.last = step;
  node.done++;
  node.warnings += step.warnings;
  if (step.status === 'failed') node.failed++;
  if (node.done === 1 || severity(step.status) >= severity(node.status)) {
    Object.assign(node, {status: step.status, error: step.error, skipped: step.skipped});
  }
  for (const [port, value] of Object.entries(step.outputs || {})) {
    const before = node.items[port] || 0;
    if (isElided(value) || before === unknown) node.items[port] = unknown;
    else node.items[port] = before + (Array.isArray(value) ? value.length : 1);
  }
}

// giveUp ends the steps in the body of a step whose call is over, and all for ''. They are
// cancelled, unless they failed.
function giveUp(nodes, container, time, failure = null) {
  for (const node of nodes) {
    for (const step of [...node.running.values()]) {
      if (container && !step.path.startsWith(container + '/')) continue;
      const status = failure ? 'failed' : 'cancelled';
      end(node, Object.assign(step, {status, error: failure || step.error, ended: time, duration: Math.max(0, time - step.started)}));
    }
    giveUp(node.inner, container, time, failure);
  }
}

// finish takes over a result.
function finish(state, result) {
  Object.assign(state, {
    runId: result.runId, workflowId: result.workflowId, status: result.status, error: result.error || null, outputs: result.outputs,
    started: Date.parse(result.startedAt), ended: Date.parse(result.finishedAt), took: result.durationMs,
  });
  for (const [id, told] of Object.entries(result.nodes)) {
    const node = nodeAt(state, id);
    if (!node.done) end(node, settled(id, told));
    Object.assign(node.last, {outputs: told.outputs || null, error: told.error || null});
    node.error = told.error || null;
  }
  if (!state.order.length) state.order = result.order;
  giveUp(state.top, '', state.ended, state.error && state.error.code === 'interrupted' ? interrupted : null);
}

// interrupted is the end of what was under way when the process of its run died.
const interrupted = {
  code: 'interrupted', message: 'the run was interrupted while the node was under way; nobody knows whether it was done',
};

// settled returns the one step of a node of which no event has told the end.
function settled(id, told) {
  const started = told.attempts ? Date.parse(told.startedAt) : null;
  const duration = told.durationMs || 0;
  return Object.assign(newStep(id, started), {
    status: told.status, ended: started === null ? null : started + duration, duration, attempts: told.attempts,
    outputs: told.outputs || null, error: told.error || null, handled: Boolean(told.handled), redacted: Boolean(told.redacted), warnings: told.warnings || 0, skipped: told.skippedBecause || null,
  });
}
