// The list of runs.

function runsTable(runs) {
  return table(['Run', 'State', 'Workflow', 'Started', 'Took'], runs.map((run) => h('tr', null,
    h('td', null, h('a.mono', {href: '#/runs/' + segment(run.runId)}, run.runId)),
    h('td', null, state(run.status)), h('td', null, run.workflowId || h('span.dim', null, 'unnamed')),
    h('td.number', null, moment(run.startedAt)),
    h('td.number', null, run.finishedAt ? duration(new Date(run.finishedAt) - new Date(run.startedAt)) : null))));
}

async function runsPage(signal) {
  const choice = h('select', {'aria-label': 'State', change: () => load()},
    ['', 'running', 'completed', 'failed', 'cancelled'].map((word) => h('option', {value: word}, word || 'all states')));
  const list = h('div');
  const more = h('button', {type: 'button', click: () => load(more.dataset.cursor)}, 'Show more');
  let items = [];
  async function load(cursor) {
    const query = new URLSearchParams({limit: '50'});
    if (choice.value) query.set('status', choice.value);
    if (cursor) query.set('cursor', cursor);
    try {
      const page = await get('/executions?' + query, signal);
      items = cursor ? items.concat(page.items) : page.items;
      fill(list, items.length ? runsTable(items) : h('p.empty', null, 'No runs. Start one from a workflow.'));
      more.dataset.cursor = page.nextCursor || '';
      more.hidden = !page.nextCursor;
    } catch (error) {
      failed(error);
    }
  }
  await load();
  show(h('section.panel', null, h('div.head.filters', null, h('h1', null, 'Runs'), h('span.grow'), choice,
    h('button', {type: 'button', click: () => load()}, 'Refresh')), list, more));
}
