// The service's API, with the key of this tab.

const base = location.pathname.replace(/\/+$/, '');
const keyName = 'svc-api-key' + base;

const key = {
  get: () => sessionStorage.getItem(keyName) || '',
  set: (value) => sessionStorage.setItem(keyName, value),
  forget: () => sessionStorage.removeItem(keyName),
};

// Problem is an error that the service answered (RFC 9457).
class Problem extends Error {
  constructor(status, body) {
    super(body.detail || 'The service answers ' + status + '.');
    this.status = status;
    this.code = body.code || '';
    this.errors = body.errors || [];
  }
}

async function send(method, path, options = {}) {
  const headers = {Accept: options.accept || 'application/json', ...options.headers};
  if (key.get()) headers.Authorization = 'Bearer ' + key.get();
  if (options.body !== undefined) headers['Content-Type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(base + path, {
      method, headers, signal: options.signal, cache: 'no-store', credentials: 'omit',
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, {detail: 'The service cannot be reached.', code: 'unreachable'});
  }
  if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

const get = async (path, signal) => (await send('GET', path, {signal})).json();

async function post(path, body) {
  const answer = await send('POST', path, {body});
  const text = await answer.text();
  return text ? JSON.parse(text) : null;
}

const segment = encodeURIComponent;

let specsByType = null;

// nodeTypes returns the specs of all node types by type.
async function nodeTypes() {
  if (!specsByType) specsByType = new Map((await get('/nodes')).map((spec) => [spec.type, spec]));
  return specsByType;
}

const pause = (ms, signal) => new Promise((resolve) => {
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => { clearTimeout(timer); resolve(); }, {once: true});
});

// follow calls seen with each event of a run, in order and once, up to the last
// one. A lost connection is taken up again. The browser's own EventSource cannot
// send the key, so the stream is read here.
async function follow(runID, signal, seen, lost) {
  let last = 0;
  for (let wait = 500; !signal.aborted; wait = Math.min(wait * 2, 10000)) {
    try {
      const headers = last ? {'Last-Event-ID': String(last)} : {};
      const answer = await send('GET', '/executions/' + segment(runID) + '/events', {signal, headers, accept: 'text/event-stream'});
      if (answer.status === 204) return;
      lost(false);
      for await (const frame of frames(answer.body)) {
        const event = JSON.parse(frame.data);
        if (event.seq !== last + 1) break;
        last = event.seq;
        wait = 250;
        seen(frame.name, event);
        if (frame.name === 'completed' || frame.name === 'failed') return;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500) throw error;
    }
    lost(true);
    await pause(wait, signal);
  }
}

// frames yields the whole frames of an event stream.
async function* frames(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (let text = '', frame = {name: 'message', data: ''}; ;) {
      const {value, done} = await reader.read();
      if (done) return;
      const lines = (text + value).split('\n');
      text = lines.pop();
      for (const line of lines) {
        if (line === '') {
          if (frame.data) yield frame;
          frame = {name: 'message', data: ''};
        } else if (line.startsWith('event: ')) frame.name = line.slice(7);
        else if (line.startsWith('data: ')) frame.data = line.slice(6);
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
