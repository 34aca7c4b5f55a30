// Follows a run until the server says that there is nothing more, and prints what
// came: node follow.mjs URL KEY
import { EventSource } from 'eventsource'

const [url, key] = process.argv.slice(2)
const seen = []
let opened = 0

const source = new EventSource(url, {
  fetch: (input, init) =>
    fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${key}` } }),
})
source.addEventListener('open', () => opened++)
for (const name of ['started', 'event', 'progress', 'completed', 'failed']) {
  source.addEventListener(name, (e) => seen.push({ id: e.lastEventId, name, seq: JSON.parse(e.data).seq }))
}
source.addEventListener('error', (e) => {
  if (source.readyState === EventSource.CLOSED) {
    console.log(JSON.stringify({ seen, opened, code: e.code }))
  }
})
