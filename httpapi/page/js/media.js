// Media: the file or address, or, where that is still to be made, what it will be and by which
// steps. The page fetches a file with its key and plays what it has got: nothing is loaded from
// elsewhere.

const mostSteps = 12;

// mediaOf returns how media is shown, by the rules of engine/value/view; null for what is none.
function mediaOf(value) {
  if (!isRecord(value) || Object.keys(value).length !== 3 || typeof value.mime !== 'string' || typeof value.kind !== 'string' || !value.kind) return null;
  const {kind, mime, path, url, recipe} = value;
  const isText = (v) => typeof v === 'string' && v !== '';
  if (isText(path)) return {kind: 'media', text: path, media: {kind, mime, path}};
  if (isText(url)) return {kind: 'media', text: url, media: {kind, mime, url}};
  return isRecord(recipe) ? {kind: 'media', text: stepsText(kind, recipe), media: {kind, mime}} : null;
}

// stepsText tells what media will be: "16 s · 640 × 480 · trim → crop → resize".
function stepsText(kind, {facts, steps}) {
  const known = isRecord(facts) ? facts : {};
  const fact = (name) => typeof known[name] === 'number' ? known[name] : 0;
  const parts = [];
  if (fact('duration') > 0) parts.push(lasting(fact('duration')));
  if (fact('width') > 0 && fact('height') > 0) parts.push(fact('width') + ' × ' + fact('height'));
  const names = (Array.isArray(steps) ? steps : []).map((step) => isRecord(step) && typeof step.op === 'string' ? step.op : '').filter(Boolean);
  if (names.length) parts.push((names.length > mostSteps ? [...names.slice(0, mostSteps), '…'] : names).join(' → '));
  return parts.join(' · ') || kind;
}

function lasting(seconds) {
  if (seconds < 60) return Math.floor(seconds * 10 + 0.5) / 10 + ' s';
  const whole = Math.floor(seconds + 0.5);
  return Math.floor(whole / 60) + ' min ' + whole % 60 + ' s';
}

// What is fetched without being asked for, in bytes.
const playAtOnce = 32 << 20;

// fetched are the files that the page has, by their paths; a page that is left lets them go.
const fetched = new Map();

function forgetFiles() {
  for (const file of fetched.values()) file.then((url) => URL.revokeObjectURL(url), () => {});
  fetched.clear();
}

const fileAt = (path) => '/files/' + segment(path);

// fileURL returns an address at which the browser finds a file of the service.
function fileURL({mime, path}) {
  if (!fetched.has(path)) {
    const file = send('GET', fileAt(path), {accept: '*/*'}).then((answer) => answer.blob()).then((blob) => URL.createObjectURL(new Blob([blob], {type: mime})));
    file.catch(() => fetched.delete(path)); // the next one tries again
    fetched.set(path, file);
  }
  return fetched.get(path);
}

// playable are the elements that show a kind of media.
const playable = {video: 'video', audio: 'audio', image: 'img.picture'};

// player draws media: its steps, its address, or a player for its file. at tells whether it is
// to be fetched without being asked for.
function player({text, media}, at) {
  if (media.url) return picture(media);
  if (!media.path) return h('p.steps', null, text);
  const box = h('figure.media');
  const name = media.path.split('/').at(-1);
  const caption = (...more) => h('figcaption.mono', null, media.path, ...more);
  const load = async () => {
    fill(box, h('p.dim', null, 'Loading…'), caption());
    try {
      const blob = await fileURL(media);
      const save = h('a', {href: blob, download: name}, 'Save');
      fill(box, playable[media.kind] && h(playable[media.kind], {src: media.kind === 'video' ? blob + '#t=0.001' : blob, controls: media.kind !== 'image', alt: media.kind === 'image' ? name : null, 'aria-label': name}), caption(' · ', save));
    } catch (error) {
      fill(box, h('p.bad', null, error.message), caption());
    }
  };
  const ask = (size) => fill(box, h('button', {type: 'button', click: load}, (media.kind === 'image' || !playable[media.kind] ? 'Show' : 'Play') + (size ? ' (' + (size / 1e6).toFixed(1) + ' MB)' : '')), caption());
  if (fetched.has(media.path)) load();
  else if (!at) ask();
  else send('HEAD', fileAt(media.path), {accept: '*/*'}).then((answer) => {
    const size = Number(answer.headers.get('Content-Length'));
    return size > playAtOnce ? ask(size) : load();
  }, (error) => fill(box, h('p.bad', null, error.message), caption()));
  return box;
}
