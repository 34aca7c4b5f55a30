// The triggers of a stored workflow: whether they are armed, when they fire next, in words
// and in the time of who looks, where a hook is called, and what came of them last.

const isTrigger = (specs) => (node) => (specs.get(node.type) || {}).role === 'trigger' && !node.disabled;

// whenText words a moment: how far it is away, and when that is here.
function whenText(text) {
  const at = new Date(text);
  const seconds = (at - Date.now()) / 1000;
  const [unit, size] = [['day', 86400], ['hour', 3600], ['minute', 60]].find(([, size]) => Math.abs(seconds) >= size) || ['second', 1];
  const far = new Intl.RelativeTimeFormat(undefined, {numeric: 'auto'}).format(Math.round(seconds / size), unit);
  const day = at.toDateString() === new Date().toDateString() ? {} : {weekday: 'long', day: 'numeric', month: 'long'};
  return far + ', ' + at.toLocaleString(undefined, {...day, hour: '2-digit', minute: '2-digit', ...(Math.abs(seconds) < 3600 ? {second: '2-digit'} : {})});
}

const whenShown = (text) => h('time', {datetime: text, title: text}, whenText(text));

const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

// triggersPanel has a switch that arms the triggers of a workflow, and tells of them, also
// news. It is null for a workflow that nothing starts.
async function triggersPanel(id, def, specs, signal, news) {
  if (!def.nodes.some(isTrigger(specs))) return null;
  const path = '/workflows/' + segment(id) + '/activation';
  const list = h('div');
  const fault = h('p.fault', {role: 'alert'});
  const note = h('p.dim', {hidden: true});
  let [active, busy, before, armed] = [null, false, '', {revision: 0, def}];
  const toggle = h('button.switch', {type: 'button', role: 'switch', 'aria-checked': 'false', 'aria-label': 'The workflow starts itself', click: () => change(!active)}, h('span.knob'));
  const word = h('span', {'aria-hidden': 'true'});
  const newer = h('button', {type: 'button', hidden: true, click: () => change(true)}, 'Activate what is stored now');
  async function change(on) {
    fault.textContent = '';
    busy = toggle.disabled = newer.disabled = true;
    try {
      if (on) await post(path, {}); else await send('DELETE', path);
    } catch (error) {
      const problems = error.errors || [];
      fault.textContent = problems.length ? problems.map((one) => (one.nodeId ? calledIn(def, one.nodeId) + ': ' : '') + one.message).join(' ') : error.message;
    }
    busy = toggle.disabled = newer.disabled = false;
    await load().catch(failed);
  }
  async function load() {
    const [now, revision] = await Promise.all([activationOf(path, signal), revisionOf(id, signal)]);
    if (busy) return true;
    active = news.active = now;
    if (active && active.revision && active.revision !== armed.revision) armed = {revision: active.revision, def: await armedAs(id, active.revision, def, signal)};
    news.tell();
    toggle.setAttribute('aria-checked', String(Boolean(active)));
    word.textContent = active ? 'Active' : 'Not active';
    const old = active && active.revision && revision && active.revision !== revision;
    newer.hidden = !old;
    note.hidden = !old && !(active && active.elsewhere);
    note.textContent = old ? 'Revision ' + active.revision + ' starts itself; revision ' + revision + ' is stored.' : 'Another process that shares the data directory lets the triggers fire.';
    const text = JSON.stringify(active);
    if (text === before && list.contains(document.activeElement)) return true; // words of times can wait
    before = text;
    fill(list, active ? active.triggers.map((one) => triggerRow(one, armed.def, specs)) : h('p.dim', null, 'Nothing starts it by itself. Once it is active, its triggers do, as it is stored now; saving it later changes nothing of that.'),
      active && active.triggers.some((one) => one.next) ? h('p.dim', null, 'Times are those of ' + zoneHere() + '.') : null);
    return Boolean(active);
  }
  await load();
  live(load, signal);
  return h('section.panel.triggers', null, h('div.head', null, h('h2', null, 'Starts itself'), toggle, word, h('span.grow'), newer), note, fault, list);
}

async function activationOf(path, signal) {
  try {
    return await get(path, signal);
  } catch (error) {
    if (error.code === 'not_active') return null;
    throw error;
  }
}

// revisionOf returns the number of what is stored now; 0 if nobody counts.
async function revisionOf(id, signal) {
  try {
    return ((await get('/workflows/' + segment(id) + '/revisions', signal))[0] || {}).revision || 0;
  } catch (error) {
    if (error.name === 'AbortError' || error.status === 401) throw error;
    return 0;
  }
}

// armedAs returns the workflow as it was when its triggers were armed; as it is stored if
// nobody kept that.
async function armedAs(id, revision, def, signal) {
  try {
    return await get('/workflows/' + segment(id) + '/revisions/' + revision, signal);
  } catch (error) {
    if (error.name === 'AbortError' || error.status === 401) throw error;
    return def;
  }
}

// triggerRow tells of one trigger.
function triggerRow(one, def, specs) {
  const spec = specs.get(one.type);
  const more = (one.upcoming || []).slice(1).map(whenText);
  return h('div.trigger', null,
    h('h3', null, calledIn(def, one.nodeId), h('span.dim', null, ' · ' + (spec ? spec.label : one.type))),
    one.next ? h('p', null, 'Fires ', whenShown(one.next), more.length ? h('span.dim', null, '; then ' + more.join('; ')) : null) : null,
    one.url ? hookPlace(one, def) : null,
    one.lastFiredAt ? h('p', null, 'Fired ', whenShown(one.lastFiredAt), one.lastRunId ? [': ', one.lastStatus ? [state(one.lastStatus), ' '] : null,
      h('a.mono', {href: '#/runs/' + segment(one.lastRunId)}, one.lastRunId)] : null) : h('p.dim', null, 'It has not fired yet.'),
    one.problem ? h('p.fault', null, 'It cannot fire: ' + one.problem) : null,
    one.lastError && one.lastError !== one.problem ? h('p.fault', null, one.lastError) : null,
    one.waiting ? h('p', null, h('a', {href: '#/runs?status=waiting'}, one.waiting === 1 ? 'One firing waits' : one.waiting + ' firings wait'), ' for a place, or for the run before.') : null,
    one.missed ? h('p.dim', null, 'Times that came to nothing: ' + one.missed + '.') : null,
    one.refused ? h('p.dim', null, 'Firings that were not taken: ' + one.refused + '.') : null);
}

// hookPlace shows where a hook is called, and a line for a terminal that does.
function hookPlace(one, def) {
  const node = nodeIn(def, one.nodeId);
  const config = (node && node.config) || {};
  const address = new URL(one.url, location.href).href.replace(/%7B/gi, '{').replace(/%7D/gi, '}');
  if (one.type.endsWith('.form')) return h('p', null, h('a', {href: address, target: '_blank', rel: 'noopener'}, address), ' ', copier(address));
  const line = curlFor(address.replace(/[{}]/g, ''), (config.methods || ['POST'])[0], config.auth || 'header');
  return h('div', null, h('p', null, h('span.mono', null, address), ' ', copier(address)), line ? h('div.head', null, h('pre.line', null, line), copier(line)) : null,
    config.auth === 'none' ? null : h('p.dim', null, line ? 'SECRET is what ' + (config.secret || 'its account') + ' holds.' : 'It is called by who can sign for ' + config.auth + '.'));
}

// curlFor writes a call of a hook; none if only its sender can sign it.
function curlFor(address, method, auth) {
  const quoted = "'" + address.replaceAll("'", "'\\''") + "'";
  const sends = method !== 'GET' && method !== 'DELETE';
  const body = sends ? '{"hello":"world"}' : '';
  const signed = (name) => ' -H "' + name + ": sha256=$(printf %s '" + body + '\' | openssl dgst -sha256 -hmac "$SECRET" -r | cut -c 1-64)"';
  const proof = {none: '', header: ' -H "Authorization: Bearer $SECRET"', basic: ' -u "$SECRET"', hmac: signed('X-Svc-Signature'), github: signed('X-Hub-Signature-256')}[auth];
  if (proof === undefined) return '';
  return 'curl -sS' + (method === 'POST' ? '' : ' -X ' + method) + proof + (sends ? " -H 'Content-Type: application/json' -d '" + body + "'" : '') + ' ' + quoted;
}

// copier is a button that copies a text. Where browsers allow that to nobody, it selects it.
function copier(text) {
  const button = h('button', {type: 'button', click: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      const shown = [...button.parentElement.querySelectorAll('.mono, pre, a')].find((one) => one.textContent === text);
      if (shown) getSelection().selectAllChildren(shown);
    }
  }}, 'Copy');
  return button;
}
