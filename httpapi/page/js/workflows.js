// The pages about workflows: what is stored, and starting it.

async function workflowsPage(signal) {
  const metas = await get('/workflows', signal);
  if (!metas.length) {
    show(h('section.panel.empty', null, h('h1', null, 'No workflows yet'),
      h('p', null, 'Save one in the editor, with ', h('code', null, 'svc workflows save FILE'), ', or with POST /workflows.')));
    return;
  }
  const link = (meta) => '#/workflows/' + segment(meta.id);
  show(h('section.panel', null, h('h1', null, 'Workflows'),
    table(['Name', 'State', 'Nodes', 'Revision', 'Changed'], metas.map((meta) => h('tr', null,
      h('td', null, h('a', {href: link(meta)}, meta.name || meta.id), h('div.dim.mono', null, meta.id),
        meta.description ? h('div.dim', null, shorten(meta.description, 160)) : null),
      h('td', null, state(meta.damaged ? 'damaged' : meta.valid ? 'valid' : 'draft')),
      h('td.number', null, meta.nodeCount), h('td.number', null, meta.revision),
      h('td.number', null, moment(meta.updatedAt)))))));
}

async function workflowPage(id, signal) {
  const [def, specs, runs] = await Promise.all([
    get('/workflows/' + segment(id), signal), nodeTypes(), get('/executions?limit=10&workflowId=' + segment(id), signal),
  ]);
  const problems = await post('/validate', def);
  const hints = problems.length ? [] : await post('/hints', def);
  const about = h('section.panel', null, h('h2', null, 'Node'), h('p.dim', null, 'Choose a node to see what it is set to.'));
  const drawing = graph(def, specs, (nodeID) => {
    drawing.pick(nodeID);
    fill(about, nodeSettings(def.nodes.find((node) => node.id === nodeID), specs));
  });
  for (const problem of problems) if (problem.nodeId) drawing.mark(problem.nodeId.split('/')[0], 'failed', problem.code);
  show(
    h('section.panel', null, h('div.head', null, h('h1', null, def.name || id), h('span.dim.mono', null, id)), h('p', null, def.description)),
    problems.length ? problemsPanel(problems) : null,
    hints.length ? hintsPanel(hints) : null,
    drawing.element,
    h('div.two', null, h('section.panel', null, h('h2', null, 'Start a run'), startForm(def)), about),
    runs.items.length ? h('section.panel', null, h('h2', null, 'Last runs'), runsTable(runs.items)) : null);
}

function problemsPanel(problems) {
  return h('section.panel', null, h('h2', null, problems.length === 1 ? 'One problem' : problems.length + ' problems'),
    problems.map((problem) => h('p.fault', null, (problem.nodeId ? problem.nodeId + ': ' : '') + problem.message + (problem.hint ? ' — ' + problem.hint : ''))));
}

// hintsPanel lists in grey what is valid but may not be meant.
function hintsPanel(hints) {
  return h('section.panel', null, h('h2.dim', null, hints.length === 1 ? 'One hint' : hints.length + ' hints'),
    hints.map((hint) => h('p.dim', null, (hint.nodeId ? hint.nodeId + ': ' : '') + hint.message)));
}

function nodeSettings(node, specs) {
  const spec = specs.get(node.type);
  return [
    h('h2', null, node.label || (spec ? spec.label : node.type)), h('p.dim.mono', null, node.type + ' · ' + node.id),
    spec ? h('p', null, spec.description.split('\n')[0]) : null, shownByName(node.config),
  ];
}

// startForm asks for the inputs of a workflow and starts it.
function startForm(def) {
  const fields = def.nodes.filter((node) => node.type === 'io.input' && !node.disabled && node.config).map((node) => inputField(node.config));
  const fault = h('p.fault', {role: 'alert'});
  const button = h('button.main', {type: 'submit'}, '▶ Start');
  const submit = async (event) => {
    event.preventDefault();
    button.disabled = true;
    fault.textContent = '';
    try {
      const inputs = Object.fromEntries(fields.map((field) => field.read()).filter(Boolean));
      const {runId} = await post('/workflows/' + segment(def.id) + '/run', {inputs, async: true});
      location.hash = '#/runs/' + segment(runId);
    } catch (error) {
      const first = error.errors && error.errors[0];
      fault.textContent = first ? first.message + (first.hint ? ' — ' + first.hint : '') : error.message;
      button.disabled = false;
    }
  };
  return h('form', {submit}, fields.map((field) => field.element),
    fields.length ? null : h('p.dim', null, 'This workflow takes no inputs.'), button, fault);
}

// inputField asks for one input. Text is taken as it is; every other type is
// written as JSON. An empty field means that nothing is given.
function inputField(config) {
  const type = config.type || 'any';
  const isText = /^(string|enum|credential)\b/.test(type);
  const initial = config.default === undefined || config.default === null ? '' : isText ? String(config.default) : JSON.stringify(config.default);
  const id = 'input-' + config.name;
  const control = isText && !/^string/.test(type) ? h('input', {id, value: initial}) : h('textarea', {id, rows: isText || initial.length < 60 ? 1 : 4}, initial);
  return {
    element: [
      h('label', {for: id}, config.name, config.required ? ' *' : null, h('span.type.mono.dim', null, type)), control,
      config.description ? h('p.dim', null, config.description) : null,
    ],
    read() {
      if (control.value === '' && !(isText && initial !== '')) return null;
      if (isText) return [config.name, control.value];
      try {
        return [config.name, JSON.parse(control.value)];
      } catch {
        if (type.startsWith('any')) return [config.name, control.value];
        throw new Error(config.name + ': write the value as JSON, since its type is ' + type + '.');
      }
    },
  };
}
