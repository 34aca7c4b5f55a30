// The steps in the rounds of loops, for looking at one round. So many are kept; those of
// an earlier round are read again from the run's events when somebody wants to see it.

const manySteps = 5000;

const newSteps = () => ({kept: new Map(), rounds: new Map(), dropped: false});

// keepStep takes over what an event tells of a step in a body.
function keepStep(steps, name, event, only = '') {
  const path = event.nodeId;
  if (!path || !path.includes('/') || !path.startsWith(only)) return;
  const parts = path.split('/');
  for (let i = 1; i < parts.length; i += 2) {
    const container = parts.slice(0, i).join('/');
    steps.rounds.set(container, Math.max(steps.rounds.get(container) || 0, (Number(parts[i]) || 0) + 1));
  }
  if (name === 'started') steps.kept.set(path, {path, status: 'running', outputs: null, error: null, attempts: 1, duration: null});
  if (name === 'event') {
    steps.kept.set(path, {
      path, status: event.status, outputs: event.outputs || null, error: event.error || null, attempts: event.attempts || 0,
      duration: event.durationMs || 0, handled: Boolean(event.handled), reused: Boolean(event.reused), warnings: event.warnings || 0, skipped: event.skippedBecause || null,
    });
  }
  while (steps.kept.size > manySteps) {
    steps.kept.delete(steps.kept.keys().next().value);
    steps.dropped = true;
  }
}

// roundsOf returns how many rounds a container has begun, whose name is path where items
// are chosen.
const roundsOf = (steps, path, items) => steps.rounds.get(stepPath(path, items)) || 0;

// stepPath returns the path of a step: names and between them the rounds that are chosen;
// null where none is.
function stepPath(names, items) {
  const parts = [];
  for (let i = 0; i < names.length; i++) {
    parts.push(names[i]);
    if (i === names.length - 1) break;
    const round = items.get(names.slice(0, i + 1).join('/'));
    if (round === undefined || round === null) return null;
    parts.push(String(round));
  }
  return parts.join('/');
}
