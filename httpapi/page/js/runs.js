// The list of runs. It keeps itself up to date: one request after the other, seldom when
// nothing runs, and none while nobody looks.

const [soon, later] = [2000, 8000]; // between two requests, in milliseconds

function runsTable(runs) {
  return stacked(['Run', 'State', 'Workflow', 'Started', 'Took'], runs.map((run) => h('tr', null,
    h('td', null, h('a.mono', {href: '#/runs/' + segment(run.runId)}, run.runId)),
    h('td', null, state(run.status), run.error ? h('div.fault', null, run.error.message) : null), h('td', null, run.workflowId || h('span.dim', null, 'unnamed')),
    h('td.number', null, moment(run.startedAt)),
    h('td.number', null, run.finishedAt ? duration(new Date(run.finishedAt) - new Date(run.startedAt)) : null))));
}

// refill shows other children and leaves the focus on the link that has it.
function refill(element, child) {
  const focused = element.contains(document.activeElement) && document.activeElement.getAttribute('href');
  fill(element, child);
  const link = focused && [...element.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused);
  if (link) link.focus();
}

// live asks again and again until signal ends. ask returns whether something goes on.
async function live(ask, signal) {
  for (let going = true; !signal.aborted;) {
    await pause(going ? soon : later, signal);
    if (document.hidden) await seenAgain(signal);
    if (signal.aborted) return;
    try { going = await ask(); } catch (error) { going = false; if (error.status === 401) return failed(error); }
  }
}

const seenAgain = (signal) => new Promise((resolve) => {
  const look = () => { if (!document.hidden || signal.aborted) resolve(); };
  document.addEventListener('visibilitychange', look, {signal});
  signal.addEventListener('abort', resolve, {once: true});
});

// runList shows the newest runs that a query asks for, and keeps them up to date.
async function runList(query, signal, none) {
  const list = h('div');
  const more = h('button', {type: 'button', click: () => { limit = Math.min(500, limit + 50); load(); }}, 'Show more');
  let [limit, before, asked] = [query.limit, '', {}];
  async function load() {
    const mine = asked = {};
    const page = await get('/executions?' + new URLSearchParams({...query, limit: String(limit)}), signal);
    if (mine !== asked) return true; // something else was asked for meanwhile
    const now = JSON.stringify(page);
    if (now !== before) refill(list, page.items.length ? runsTable(page.items) : none);
    before = now;
    more.hidden = !page.nextCursor || limit >= 500;
    return page.items.some((run) => run.status === 'running' || run.status === 'waiting');
  }
  await load();
  return {elements: [list, more], load, change(other) { Object.assign(query, other); for (const name of Object.keys(other)) if (!other[name]) delete query[name]; return load(); }};
}

async function runsPage(signal, status) {
  titled('Runs');
  const list = await runList({limit: 50, ...(status ? {status} : {})}, signal, h('p.empty', null, 'No runs. Start one from a ', h('a', {href: '#/workflows'}, 'workflow'), '.'));
  const choice = h('select', {'aria-label': 'State', change: () => list.change({status: choice.value}).catch(failed)},
    ['', 'waiting', 'running', 'completed', 'failed', 'cancelled'].map((word) => h('option', {value: word, selected: word === status}, word || 'all states')));
  show(h('section.panel', null, h('div.head.filters', null, h('h1', null, 'Runs'), h('span.grow'), choice), list.elements));
  live(list.load, signal);
}
