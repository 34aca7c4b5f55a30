// The service's API, with the key of this tab.

// Problem is an error that the service answered (RFC 9457).
class Problem extends Error {
  constructor(status, body) {
    super(body.detail || 'The service answers ' + status + '.');
    this.status = status;
    this.code = body.code || '';
    this.errors = body.errors || [];
    this.offset = body.offset; // of a document that cannot be read, in bytes
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
      body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body),
    });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem(0, {detail: 'The service cannot be reached.', code: 'unreachable'});
  }
  if (answer.status !== 401 && path !== '/') key.prove(); // the health check asks for none
  if (!answer.ok) throw new Problem(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

const get = async (path, signal) => exact(await (await send('GET', path, {signal})).text());

async function post(path, body, headers) {
  const answer = await send('POST', path, {body, headers});
  const text = await answer.text();
  return text ? exact(text) : null;
}

const segment = encodeURIComponent;

let specsByType = null;

// nodeTypes returns the specs of all node types by type.
async function nodeTypes() {
  if (!specsByType) specsByType = new Map((await get('/nodes')).map((spec) => [spec.type, spec]));
  return specsByType;
}
