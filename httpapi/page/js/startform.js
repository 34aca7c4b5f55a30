// Starting a run: a form with a field for each input of a workflow.

// startForm asks for the inputs of a workflow and starts it: as it is stored, or as it is
// given. Values that are given are filled in. news tells what the triggers have done.
function startForm(def, specs, {given = {}, stored, news}) {
  const isInput = (node) => (specs.get(node.type) || {}).role === 'input' && !node.disabled && node.config && node.config.name;
  const fields = def.nodes.filter(isInput).map(({config}) => inputField(config, given));
  const firing = firingFields(def, specs, news);
  const fault = h('p.fault', {role: 'alert'});
  const button = h('button.main', {type: 'submit'}, '▶ Start');
  const submit = async (event) => {
    event.preventDefault();
    fault.textContent = '';
    const inputs = {};
    const fired = {};
    const wrong = [...fields, firing].filter((field) => !field.read(field === firing ? fired : inputs));
    if (wrong.length) return wrong[0].focus();
    button.disabled = true;
    try {
      const {runId} = stored ? await post('/workflows/' + segment(def.id) + '/run', {inputs, ...fired, async: true}) : await post('/executions', {workflow: def, inputs, ...fired});
      location.hash = '#/runs/' + segment(runId);
    } catch (error) {
      button.disabled = false;
      blame(error, fields, fault);
    }
  };
  const keydown = (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit();
  };
  return h('form.start', {submit, keydown, novalidate: true}, fields.map((field) => field.element),
    fields.length ? null : h('p.dim', null, 'This workflow takes no inputs.'), firing.element, button, fault);
}

// firingFields ask which trigger fires, and what it puts out: what is written there, else its
// sample. The first one is chosen.
function firingFields(def, specs, news) {
  const triggers = def.nodes.filter(isTrigger(specs));
  if (!triggers.length) return {element: null, read: () => true};
  const choice = h('select', {id: 'firing', change: () => offer()}, triggers.map((node) => h('option', {value: node.id}, nameOf(node))));
  const payload = jsonOf('record', undefined, {id: 'payload', 'aria-describedby': 'payload-fault payload-about'});
  const wrong = h('p.fault', {id: 'payload-fault'});
  const last = h('button', {type: 'button', hidden: true}, 'Use last event');
  const lastOf = async () => get('/triggers/' + segment(def.id) + '/' + segment(choice.value) + '/last');
  last.addEventListener('click', () => lastOf().then(({outputs}) => { payload.control.value = JSON.stringify(outputs, null, 2); payload.control.rows = 8; }, failed));
  // offer has the button where something has happened.
  const offer = () => { last.hidden = !(news && news.active && news.active.triggers.some((one) => one.nodeId === choice.value && one.lastRunId)); };
  if (news) news.tell = offer;
  offer();
  return {
    element: h('div.field', null, h('label', {for: 'firing'}, 'Trigger that fires'), choice,
      h('label', {for: 'payload'}, 'What it puts out', h('span.type.mono.dim', null, 'record')), payload.control,
      h('div.head', null, h('p.dim.grow', {id: 'payload-about'}, 'By output; what is left out is as in its sample.'), last), wrong),
    focus: () => payload.control.focus(),
    read(request) {
      request.trigger = choice.value;
      wrong.textContent = '';
      try {
        const value = payload.read();
        if (value !== undefined) request.payload = value;
        return true;
      } catch (error) {
        wrong.textContent = error.message;
        return false;
      }
    },
  };
}

// blame shows what the service refuses at the fields that it is about.
function blame(error, fields, fault) {
  const left = [];
  for (const problem of error.errors || []) {
    const text = problem.message + (problem.hint ? ' — ' + problem.hint : '');
    const field = fields.find((field) => field.name === problem.port);
    if (field && !problem.nodeId) field.blame(text); else left.push(text);
  }
  fault.textContent = error.errors && error.errors.length ? left.join(' ') : error.message;
}

// inputField asks for one input, with what suits its type. An empty field means that
// nothing is given.
function inputField(config, given) {
  const type = config.type || 'any';
  const has = Object.hasOwn(given, config.name);
  const preset = has ? given[config.name] : config.default;
  const id = 'input-' + config.name;
  const fault = h('p.fault', {id: id + '-fault'});
  const attributes = {id, 'aria-describedby': id + '-fault'};
  const {control, read} = controlFor(type, preset, attributes, Boolean(config.required));
  const check = control.type === 'checkbox';
  const label = h('label', {for: id}, check ? [control, ' '] : null, config.name, config.required ? ' *' : null, h('span.type.mono.dim', null, type));
  return {
    name: config.name,
    element: h('div.field', null, label, check ? null : control, config.description ? h('p.dim', null, config.description) : null, fault),
    focus: () => control.focus(),
    blame: (text) => { fault.textContent = text; control.setAttribute('aria-invalid', 'true'); },
    // read puts the value into inputs. It returns false if there is something wrong.
    read(inputs) {
      fault.textContent = '';
      control.removeAttribute('aria-invalid');
      try {
        const value = read();
        if (value !== undefined) inputs[config.name] = value;
        else if (config.required && config.default === undefined) throw new Error('A value is needed.');
        return true;
      } catch (error) {
        this.blame(error.message);
        return false;
      }
    },
  };
}

// controlFor returns the control for a type, and what reads it: undefined if nothing is
// given.
function controlFor(type, preset, attributes, required) {
  const kind = /^[a-z]*/.exec(type)[0];
  const nullable = type.endsWith('?') || type === 'any';
  const options = kind === 'enum' ? /\(([^)]*)\)/.exec(type)[1].split('|') : nullable && kind === 'bool' ? ['true', 'false'] : null;
  if (options) return choiceOf(options, preset, attributes, kind === 'bool', required);
  const text = preset === undefined || preset === null ? '' : typeof preset === 'string' ? preset : JSON.stringify(preset);
  switch (kind) {
    case 'bool': {
      const control = h('input', {...attributes, type: 'checkbox', checked: preset === true});
      return {control, read: () => control.checked};
    }
    case 'int': case 'float': return numberOf(kind, text, attributes);
    case 'string': case 'credential': {
      const many = text.includes('\n');
      const control = many ? h('textarea', {...attributes, rows: Math.min(12, text.split('\n').length + 1)}, text) : h('input', {...attributes, type: 'text', value: text, autocomplete: 'off'});
      return {control, read: () => (control.value === '' && preset !== '' && (preset === undefined || preset === null || kind === 'credential') ? undefined : control.value)};
    }
    default: return jsonOf(type, preset, attributes);
  }
}

function choiceOf(options, preset, attributes, isBool, required) {
  const chosen = preset === undefined || preset === null ? '' : String(preset);
  const control = h('select', attributes, chosen && required ? null : h('option', {value: ''}, '—'),
    options.map((option) => h('option', {value: option, selected: option === chosen}, isBool ? (option === 'true' ? 'yes' : 'no') : option)));
  return {control, read: () => (control.value === '' ? undefined : isBool ? control.value === 'true' : control.value)};
}

function numberOf(kind, text, attributes) {
  const control = h('input', {...attributes, type: 'number', step: kind === 'int' ? 1 : 'any', inputmode: kind === 'int' ? 'numeric' : 'decimal', value: text});
  const read = () => {
    if (control.validity.badInput) throw new Error('Write a number.');
    if (control.value === '') return undefined;
    if (kind === 'int' && !/^-?\d+$/.test(control.value)) throw new Error('Write a whole number.');
    return exact(control.value.replace(/^(-?)0+(?=\d)/, '$1').replace(/^(-?)\./, '$10.'));
  };
  return {control, read};
}

// brief writes a value on one line, if that is short.
function brief(value) {
  const line = JSON.stringify(value);
  return line.length < 60 ? line : JSON.stringify(value, null, 1);
}

// jsonOf takes JSON, and for any type also a text as it is.
function jsonOf(type, preset, attributes) {
  const text = preset === undefined ? '' : preset === null ? '' : type === 'any' && typeof preset === 'string' ? preset : brief(preset);
  const lines = text.split('\n').length;
  const control = h('textarea.mono', {...attributes, rows: Math.min(10, Math.max(type === 'any' ? 1 : 2, lines)), spellcheck: 'false'}, text);
  const read = () => {
    if (control.value.trim() === '') return undefined;
    const wrong = whereIn(control.value);
    if (!wrong) return exact(control.value);
    if (type === 'any' && !/^\s*[{["]/.test(control.value)) return control.value;
    control.setSelectionRange(wrong.index, Math.min(control.value.length, wrong.index + 1));
    throw new Error('Write JSON, since the type is ' + type + '. Line ' + wrong.line + ', column ' + wrong.column + ': ' + wrong.reason + '.');
  };
  return {control, read};
}
