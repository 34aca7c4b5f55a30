// JSON without loss: integers that a number of JavaScript cannot hold stay as they are
// written, where the browser can do that.

const exact = (text) => {
  if (!/\d{16}/.test(text) || !JSON.rawJSON) return JSON.parse(text);
  return JSON.parse(text, (name, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context.source) ? JSON.rawJSON(context.source) : value);
};

const isRaw = (value) => Boolean(JSON.isRawJSON && JSON.isRawJSON(value));

// whereIn words where a text of JSON is wrong: the line and the column of its first fault,
// and that.
function whereIn(text) {
  try {
    exact(text);
    return null;
  } catch (error) {
    const {index, reason} = faultIn(text);
    return {index, ...lineAt(text, index), reason: reason || error.message};
  }
}

// lineAt returns the line and the column of a place in a text, from 1.
function lineAt(text, index) {
  const before = text.slice(0, index).split('\n');
  return {line: before.length, column: before.at(-1).length + 1};
}

// pieces are what JSON is made of, one after the other.
const pieces = () => /\s+|[{}[\],:]|"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[^]/gy;

// walkJSON goes through a text. found is called with the pointer (RFC 6901) of each value
// and where it is. It returns where the text is no JSON any more, or null.
function walkJSON(text, found) {
  const stack = []; // of {list, name, index}
  let expect = 'value';
  const pointer = () => stack.map((level) => '/' + (level.list ? level.index : level.name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('');
  const closed = () => { stack.pop(); expect = stack.length ? 'next' : 'end'; };
  for (const {0: piece, index} of text.matchAll(pieces())) {
    if (/^\s/.test(piece)) continue;
    const level = stack.at(-1);
    const isValue = /^["\-\dtfn]/.test(piece) && (piece.length > 1 || /\d/.test(piece));
    if (expect === 'value' || expect === 'first') {
      if (expect === 'first' && piece === ']') { closed(); continue; }
      if (piece !== '{' && piece !== '[' && !isValue) return {index, reason: 'a value is expected here'};
      found(pointer(), index);
      if (piece === '{') { stack.push({name: ''}); expect = 'firstName'; }
      else if (piece === '[') { stack.push({list: true, index: 0}); expect = 'first'; }
      else expect = stack.length ? 'next' : 'end';
    } else if (expect === 'name' || expect === 'firstName') {
      if (expect === 'firstName' && piece === '}') { closed(); continue; }
      if (!isValue || piece[0] !== '"') return {index, reason: 'a name in quotes is expected here'};
      level.name = JSON.parse(piece);
      expect = 'colon';
    } else if (expect === 'colon') {
      if (piece !== ':') return {index, reason: 'a colon is expected here'};
      expect = 'value';
    } else if (expect === 'next') {
      if (piece === (level.list ? ']' : '}')) closed();
      else if (piece !== ',') return {index, reason: 'a comma or the end of the ' + (level.list ? 'list' : 'record') + ' is expected here'};
      else if (level.list) { level.index++; expect = 'value'; } else expect = 'name';
    } else return {index, reason: 'the value has ended before this'};
  }
  return expect === 'end' ? null : {index: text.length, reason: text.trim() ? 'the text ends too early' : 'there is nothing here'};
}

const faultIn = (text) => walkJSON(text, () => {}) || {index: 0, reason: ''};

// placesIn returns where the values of a text of JSON are, by their pointers.
function placesIn(text) {
  const places = new Map();
  walkJSON(text, (pointer, index) => places.set(pointer, index));
  return places;
}
