// How a value is to be shown: the rules of engine/value/view, as data without elements.
// Pictures are shown by their address: the page loads nothing from elsewhere.

const maxRows = 1000, maxColumns = 100, maxCell = 1000;

function viewOf(value, wish) {
  const kind = (wish && wish.kind) || 'auto';
  if (kind === 'table' && Array.isArray(value)) return tableOf(value, wish.columns);
  const media = (kind === 'auto' || kind === 'media') && mediaOf(value);
  if (media) return media;
  const source = kind === 'picture' && pictureOf(value);
  if (source) return {kind, picture: source};
  if (typeof value === 'string' && kind !== 'json') return {kind: kind === 'markdown' ? 'markdown' : 'text', text: value};
  return {kind: kind === 'text' ? 'text' : 'json', text: JSON.stringify(value, null, 2)};
}

const isRecord = (value) => value !== null && typeof value === 'object' && !Array.isArray(value) && !isRaw(value);

function tableOf(rows, columns) {
  const seen = rows.slice(0, maxRows);
  const all = columns || [...new Set(seen.flatMap((row) => isRecord(row) ? Object.keys(row) : []))].sort();
  const view = {kind: 'table', columns: all.slice(0, maxColumns)};
  let cut = rows.length > maxRows || all.length > maxColumns;
  view.rows = seen.map((row) => view.columns.map((name) => {
    const [text, whole] = cellOf(isRecord(row) && Object.hasOwn(row, name) ? row[name] : null);
    cut ||= !whole;
    return text;
  }));
  return cut ? {...view, cut} : view;
}

// cellOf returns the text of a cell, and whether that is all of the value.
function cellOf(value) {
  if (value === null || value === undefined) return ['', true];
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (text.length <= maxCell) return [text, true];
  return [typeof value === 'string' ? text.slice(0, maxCell) + '…' : '…', false];
}

const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const longestPicture = 10 << 20;

// pictureOf reads the source of a picture: a media value, a path, a URL or a data URI.
function pictureOf(value) {
  if (isRecord(value)) {
    const {kind, mime, url, path} = value;
    if (kind !== 'image' || mime && !pictureTypes.includes(mime) || !url && !path) return null;
    const source = url ? pictureAt(url) : {kind, mime: '', path};
    return source && (mime ? {...source, mime} : source);
  }
  return typeof value === 'string' ? pictureAt(value) : null;
}

function pictureAt(text) {
  if (!text || text.length > longestPicture) return null;
  if (text.startsWith('data:')) {
    const mime = /^data:([^;,]*)[^,]*,/.exec(text);
    return mime && pictureTypes.includes(mime[1].trim().toLowerCase()) ? {kind: 'image', mime: mime[1].trim().toLowerCase(), url: text} : null;
  }
  if (!/^[A-Za-z][A-Za-z0-9+.-]+:/.test(text)) return {kind: 'image', mime: '', path: text};
  return /^https?:\/\/[^/?#]/i.test(text) ? {kind: 'image', mime: '', url: text} : null;
}

// wishOf returns how a node with these inputs wants a value shown.
function wishOf(shows, inputs) {
  const columns = shows.columns && inputs[shows.columns];
  return {
    kind: (shows.as && inputs[shows.as]) || shows.kind,
    columns: Array.isArray(columns) ? columns.filter((name) => typeof name === 'string') : null,
  };
}
