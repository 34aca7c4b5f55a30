// The key of the service. It is typed once: tabs of this page hand it on to each other,
// and a tab keeps it when it is loaded again. It is in no cookie, and no file of the
// browser has it: what the tab keeps for itself is the key mixed with chance, and the
// chance, which alone tells nothing either, is the name of the window, which browsers
// keep in memory only.

const key = (() => {
  const name = 'svc-key ' + base;
  const channel = new BroadcastChannel(name);
  const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const bytesOf = (text) => Uint8Array.from(text.match(/../g) || [], (pair) => parseInt(pair, 16));
  const mixed = (bytes, chance) => bytes.map((byte, i) => byte ^ chance[i]);
  let known = '';
  let proven = false; // the service has taken it
  let arrived = () => {};

  function keep(value) {
    known = value;
    const bytes = new TextEncoder().encode(value);
    const chance = crypto.getRandomValues(new Uint8Array(bytes.length));
    window.name = name + ' ' + hex(chance);
    try { sessionStorage.setItem(name, hex(mixed(bytes, chance))); } catch { /* then it lasts until the tab is loaded again */ }
  }
  function recall() {
    if (!window.name.startsWith(name + ' ')) return '';
    let kept = '';
    try { kept = sessionStorage.getItem(name) || ''; } catch { /* nothing is kept */ }
    const [bytes, chance] = [bytesOf(kept), bytesOf(window.name.slice(name.length + 1))];
    return bytes.length && bytes.length === chance.length ? new TextDecoder().decode(mixed(bytes, chance)) : '';
  }
  function drop() {
    known = '';
    proven = false;
    window.name = '';
    try { sessionStorage.removeItem(name); } catch { /* nothing was kept */ }
  }
  known = recall();
  channel.addEventListener('message', ({data}) => {
    if (data.ask && known && proven) channel.postMessage({key: known});
    if (data.key && !known) {
      keep(data.key);
      arrived();
    }
    if (data.forget) {
      drop();
      arrived();
    }
  });
  return {
    get: () => known,
    set: (value) => { proven = false; keep(value); },
    // prove says that the service has taken the key, so that others may have it.
    prove() {
      if (proven || !known) return;
      proven = true;
      channel.postMessage({key: known});
    },
    forget() {
      drop();
      channel.postMessage({forget: true});
    },
    refused() { drop(); },
    // ask waits a moment for another tab that has the key.
    ask: () => new Promise((resolve) => {
      const before = arrived;
      const answered = () => { clearTimeout(timer); arrived = before; resolve(Boolean(known)); };
      const timer = setTimeout(answered, 300);
      arrived = answered;
      channel.postMessage({ask: true});
    }),
    // changed is called when another tab has handed the key on, or has forgotten it.
    changed: (then) => { arrived = then; },
  };
})();
