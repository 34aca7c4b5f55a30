// How a value is to be shown: the rules of engine/value/view, as data without elements.
// Pictures are shown by their address: the page loads nothing from elsewhere.

const maxRows = 1000, maxColumns = 100, maxCell = 1000;

function viewOf(value, wish) {
  const kind = (wish && wish.kind) || 'auto';
  if (kind === 'table' && Array.isArray(value)) return tableOf(value, wish.columns);
  if (typeof value === 'string' && kind !== 'json') return {kind: kind === 'markdown' ? 'markdown' : 'text', text: value};
  return {kind: kind === 'text' ? 'text' : 'json', text: JSON.stringify(value, null, 2)};
}

const isRecord = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

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

// wishOf returns how a node with these inputs wants a value shown.
function wishOf(shows, inputs) {
  const columns = shows.columns && inputs[shows.columns];
  return {
    kind: (shows.as && inputs[shows.as]) || shows.kind,
    columns: Array.isArray(columns) ? columns.filter((name) => typeof name === 'string') : null,
  };
}
