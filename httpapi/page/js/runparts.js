// The parts of the page of a run.

// statusTexts words the state of a node: for its card, where there is little room, and in
// full.
function statusTexts(run, name, word) {
  const step = stepOf(run, name);
  const node = run.state.nodes.get(name);
  const inner = node && !(name.includes('/') && stepPath(name.split('/'), run.items) !== null) ? inside(node).done : 0;
  if (word === 'running') {
    const [live] = node ? node.running.values() : [];
    if (live && live.retry) return ['again', 'again in ' + duration(live.retry.in)];
    if (node && node.total) return [node.step + ' of ' + node.total, node.step + ' of ' + node.total];
    return ['running', (node && node.message) || (inner ? inner + ' inside' : 'running')];
  }
  if (word === 'succeeded' && step) {
    const took = step.reused ? 'reused' : duration(step.duration);
    if (node.warnings) return [warningsText(node.warnings), took + ', ' + warningsText(node.warnings)];
    return [took, took + (inner ? ', ' + inner + ' inside' : '')];
  }
  if (step && step.error) return [step.handled ? 'handled' : 'failed', (step.handled ? 'handled: ' : 'failed: ') + step.error.code];
  return word === 'pending' ? ['', 'pending'] : [word, word];
}

const warningsText = (n) => n + (n === 1 ? ' warning' : ' warnings');

function runHead(run) {
  const warnings = run.state.top.reduce((n, node) => n + node.warnings, 0);
  const {state: {status, error}, record, def} = run;
  const over = isOver(run.state);
  const waits = !over && !run.seq && record.status === 'waiting'; // until its first event
  const took = over ? run.state.took : Date.now() - run.state.started;
  return [
    h('div.head', null, h('h1', null, def.name || def.id || 'Run'), h('span', {'aria-live': 'polite'}, state(over ? status : waits ? 'waiting' : 'running')),
      h('span.dim', null, duration(Math.max(0, took))), warnings ? h('span.fault', null, warningsText(warnings)) : null),
    h('p.dim', null, h('span.mono', null, run.id), waits ? ' · came ' : ' · started ', moment(record.startedAt),
      record.startedBy ? ' by the trigger ' + calledIn(def, record.startedBy.trigger) : null,
      run.stored ? [' · ', h('a', {href: '#/workflows/' + segment(def.id)}, 'workflow')] : null,
      record.resumedFrom ? [' · goes on with ', h('a.mono', {href: '#/runs/' + segment(record.resumedFrom)}, record.resumedFrom)] : null),
    error && status === 'cancelled' ? h('p.dim', null, error.message) : error ? h('p.fault', null, (error.nodeId ? calledIn(def, error.nodeId) + ': ' : '') + error.message + ' (' + error.code + ')') : null,
  ];
}

// runActions are what can be done with a run. Its buttons stay, so that the focus does.
function runActions(run) {
  const act = (path, done, body) => async (event) => {
    event.target.disabled = true;
    try { done(await post('/executions/' + segment(run.id) + path, body)); } catch (error) { event.target.disabled = false; failed(error); }
  };
  const open = (answer) => { location.hash = '#/runs/' + segment(answer.runId); };
  const cancel = h('button', {type: 'button', click: act('/cancel', () => {})}, 'Cancel');
  const resume = h('button', {type: 'button', title: 'Goes on with the workflow as it was; what has succeeded is not run again.', click: act('/resume', open)}, 'Resume');
  const repair = h('button', {
    type: 'button', title: 'Goes on with the workflow as it is stored now; what it does not change is not run again.',
    click: act('/resume', open, {workflow: 'current'}),
  }, 'Repair and go on');
  const form = h('div.again', {hidden: true});
  const again = h('button', {type: 'button', 'aria-expanded': 'false', click: () => {
    if (!form.firstChild) fill(form, startForm(run.def, run.specs, {given: run.inputs, stored: run.stored}));
    form.hidden = !form.hidden;
    again.setAttribute('aria-expanded', String(!form.hidden));
    if (!form.hidden) (form.querySelector('input, textarea, select') || form.querySelector('button')).focus();
  }}, 'Run again');
  return {
    element: h('div', null, h('div.head.actions', null, cancel, resume, repair, again), form),
    update() {
      const over = isOver(run.state);
      cancel.hidden = over;
      resume.hidden = !over || run.state.status === 'completed';
      repair.hidden = !over || !run.stored;
      again.hidden = !over;
    },
  };
}

function runOutputs(run) {
  const values = run.state.outputs || {};
  const none = isOver(run.state) ? 'The run put out nothing.' : 'They come when the run has ended.';
  return [h('h2', null, 'Outputs'), Object.keys(values).length ? shownByName(values) : h('p.dim', null, none)];
}

// runTimeline shows when nodes ran, those that failed first.
function runTimeline(run, choose) {
  const now = isOver(run.state) ? Math.max(run.state.took, 0.001) : Math.max(Date.now() - run.state.started, 1);
  const sinceStart = (moment) => Math.max(0, moment - run.state.started);
  const all = run.state.top.filter((node) => node.started !== null && node.status !== 'skipped');
  const hasFailed = (node) => stateOf(node) === 'failed';
  const rows = [...all.filter(hasFailed), ...all.filter((node) => !hasFailed(node))].map((node) => {
    const start = sinceStart(node.started);
    const end = node.running.size ? now : Math.max(sinceStart(node.ended), start + ((node.last && node.last.duration) || 0)); // moments are whole milliseconds
    const bar = h('span.span.' + stateOf(node));
    bar.style.left = Math.min(99, 100 * start / now) + '%';
    bar.style.width = Math.max(0, Math.min(100, 100 * (end - start) / now)) + '%';
    const name = calledIn(run.def, node.name);
    return [h('button.link.name', {type: 'button', title: name, click: () => choose(node.name)}, name),
      h('div.track', null, bar), h('span.dim.number', null, node.last ? duration(node.last.duration) : null)];
  });
  return rows.length ? h('div.timeline', null, rows) : h('p.dim', null, 'No node has run yet.');
}

function nodeDetails(run, update, workflow) {
  const definition = run.chosen && nodeIn(run.def, run.chosen);
  if (!definition) return [h('h2', null, 'Node'), h('p.dim', null, 'Choose a node to see what went in and what came out.')];
  const step = stepOf(run, run.chosen);
  const spec = run.specs.get(definition.type);
  const [inputs, outputs] = [inputsOf(run, run.chosen), outputsOf(run, run.chosen)];
  const elided = !run.chosen.includes('/') && [...Object.values(inputs), ...Object.values(outputs)].some(isElided);
  const everything = async () => {
    try { run.full = (await get('/executions/' + segment(run.id) + '?full=true')).result; update(); } catch (error) { failed(error); }
  };
  return [
    h('div.head', null, h('h2', null, nameOf(definition)), state(stateIn(run, run.chosen))),
    h('p.dim', null, spec ? spec.label + ' · ' : null, h('span.mono', null, definition.type + ' · ' + run.chosen)),
    definition.body ? h('p', null, h('button', {type: 'button', click: () => workflow.open(run.chosen.split('/'))}, 'Open its body')) : null,
    step && step.attempts > 1 ? h('p', null, step.attempts + ' attempts') : null,
    step && step.warnings ? h('p.fault', null, warningsText(step.warnings)) : null,
    step && step.duration !== null ? h('p.dim', null, duration(step.duration)) : null,
    step && step.error ? h('p.fault', null, step.error.message + ' (' + step.error.code + ')') : null,
    step && step.skipped ? h('p.dim', null, 'Skipped: ' + step.skipped.nodeId + ' ' + step.skipped.reason.replace('_', ' ')) : null,
    elided && isOver(run.state) && !run.full ? h('button', {type: 'button', click: everything}, 'Show everything') : null,
    h('h2', null, 'Inputs'), Object.keys(inputs).length ? shownByName(inputs) : h('p.dim', null, 'None.'),
    h('h2', null, 'Outputs'), Object.keys(outputs).length ? shownByName(outputs, wishesOf(spec, inputs)) : h('p.dim', null, 'None.'),
  ];
}

// itemChooser chooses a round of a container: of which round states and values are shown.
function itemChooser(run, path, chosen) {
  const name = path.join('/');
  const count = stepPath(path, run.items) === null ? 0 : roundsOf(run.steps, path, run.items);
  if (!count) return null;
  const now = run.items.get(name) ?? null;
  const go = async (item) => {
    run.items.set(name, item);
    if (item !== null) await loadRound(run, [...path.slice(0, -1), path.at(-1)], item);
    chosen();
  };
  const field = h('input', {type: 'number', min: 0, max: count - 1, value: now === null ? '' : now, placeholder: 'all', 'aria-label': 'Item of ' + path.at(-1), change: (event) => {
    const {value} = event.target;
    go(value === '' ? null : Math.max(0, Math.min(count - 1, Math.floor(Number(value)) || 0)));
  }});
  const step = (by, label, text) => h('button', {
    type: 'button', 'aria-label': label, disabled: by < 0 ? !now : now !== null && now >= count - 1,
    click: () => go(now === null ? 0 : now + by),
  }, text);
  return h('span.items', null, ' item ', step(-1, 'Item before', '‹'), field, step(1, 'Next item', '›'),
    h('span.dim', null, 'of ' + count + (count > 1 ? ', counted from 0' : '')));
}

// loadRound reads the steps of a round again if they are not kept any more.
async function loadRound(run, path, item) {
  const prefix = stepPath(path, run.items) + '/' + item + '/';
  if (!run.steps.dropped || [...run.steps.kept.keys()].some((path) => path.startsWith(prefix))) return;
  const found = newSteps();
  const reading = new AbortController();
  run.signal.addEventListener('abort', () => reading.abort(), {once: true});
  await follow(run.id, reading.signal, (name, event) => {
    keepStep(found, name, event, prefix);
    if (!isOver(run.state) && event.seq >= run.seq) reading.abort();
  }, () => {});
  for (const [path, step] of found.kept) run.steps.kept.set(path, step);
}
