// The API reference, drawn from the service's own OpenAPI document.

async function referencePage(signal) {
  const doc = await get('/openapi.json', signal);
  const groups = new Map((doc.tags || []).map((tag) => [tag.name, []]));
  for (const [path, methods] of Object.entries(doc.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (!operation.responses) continue; // parameters that all methods share
      const tag = (operation.tags || ['Other'])[0];
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push({path, method, operation, shared: methods.parameters || []});
    }
  }
  show(h('section.panel', null, h('h1', null, doc.info.title + ' ' + doc.info.version), prose(doc.info.description),
    h('p.dim', null, 'The same as a file: ', h('code', null, 'GET ' + base + '/openapi.json'))),
  [...groups].map(([tag, operations]) => h('section.panel', null, h('h2', null, tag[0].toUpperCase() + tag.slice(1)), operations.map((one) => operationDetails(doc, one)))));
}

// resolve follows a reference inside of the document.
function resolve(doc, object) {
  if (!object || !object.$ref) return object;
  const steps = object.$ref.replace(/^#\//, '').split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((at, step) => at && at[step], doc);
}

function operationDetails(doc, {path, method, operation, shared}) {
  const parameters = [...shared, ...(operation.parameters || [])].map((parameter) => resolve(doc, parameter));
  const body = resolve(doc, operation.requestBody);
  return h('details', null,
    h('summary', null, h('span.verb.mono.' + method, null, method.toUpperCase()), h('code', null, base + path), ' ', h('span.dim', null, operation.summary || '')),
    prose(operation.description),
    parameters.length ? [h('h3', null, 'Parameters'), table(['Name', 'In', 'Meaning'], parameters.map((parameter) => h('tr', null,
      h('td.mono', null, parameter.name + (parameter.required ? ' *' : '')), h('td', null, parameter.in), h('td', null, marked(parameter.description || '')))))] : null,
    body ? [h('h3', null, 'Body'), contents(doc, body)] : null,
    h('h3', null, 'Answers'),
    Object.entries(operation.responses).map(([status, answer]) => {
      const resolved = resolve(doc, answer);
      return h('div.answer', null, h('code', null, status), h('div', null, prose(resolved.description), status < '300' ? contents(doc, resolved) : null));
    }));
}

function contents(doc, holder) {
  return Object.entries(holder.content || {}).map(([type, media]) => h('pre', null, type + '\n' + schemaText(doc, media.schema, 0, new Set())));
}

// schemaText words a schema as the JSON it stands for.
function schemaText(doc, schema, depth, within) {
  const name = schema && schema.$ref ? schema.$ref.split('/').pop() : '';
  const s = resolve(doc, schema);
  if (!s) return 'anything';
  if (name && within.has(name) || depth > 4) return name || '…';
  const inner = name ? new Set([...within, name]) : within;
  const indent = '  '.repeat(depth + 1);
  const choice = s.oneOf || s.anyOf;
  if (choice) return choice.map((one) => schemaText(doc, one, depth, inner)).join(' | ');
  if (s.allOf) return s.allOf.map((one) => schemaText(doc, one, depth, inner)).join(' & ');
  if (s.enum) return s.enum.map((one) => JSON.stringify(one)).join(' | ');
  if ('const' in s) return JSON.stringify(s.const);
  if (s.properties) {
    const lines = Object.entries(s.properties).map(([field, of]) =>
      indent + field + ((s.required || []).includes(field) ? '' : '?') + ': ' + schemaText(doc, of, depth + 1, inner));
    return '{\n' + lines.join('\n') + '\n' + '  '.repeat(depth) + '}';
  }
  if (s.items) return '[' + schemaText(doc, s.items, depth, inner) + ', …]';
  if (s.additionalProperties && typeof s.additionalProperties === 'object') return '{name: ' + schemaText(doc, s.additionalProperties, depth, inner) + ', …}';
  return [].concat(s.type || 'anything').join(' | ') + (s.format ? ' (' + s.format + ')' : '');
}
