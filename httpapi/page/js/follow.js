// The events of a run.

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
        const event = exact(frame.data);
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
