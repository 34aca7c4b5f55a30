// A value of JSON as a tree that can be opened and closed. Branches are made when they
// are opened.

const manyBranches = 100;

const isBranch = (value) => value !== null && typeof value === 'object' && !isRaw(value) && Object.keys(value).length > 0;

function tree(value) {
  if (!isBranch(value)) return h('pre', null, JSON.stringify(value, null, 2));
  return h('div.tree.mono', null, branches(value, 0));
}

function branches(value, from) {
  const names = Object.keys(value);
  const rows = names.slice(from, from + manyBranches).map((name) => branch(name, value[name]));
  if (names.length > from + manyBranches) {
    const more = h('button.plain', {type: 'button', click: () => more.replaceWith(...branches(value, from + manyBranches))},
      (names.length - from - manyBranches) + ' more');
    rows.push(more);
  }
  return rows;
}

function branch(name, value) {
  const label = h('span.dim', null, name + ': ');
  if (!isBranch(value)) return h('div.leaf', null, label, isElided(value) ? '…' : JSON.stringify(value));
  const inside = h('div.inside');
  const opened = () => { if (!inside.firstChild) fill(inside, branches(value, 0)); };
  const size = Object.keys(value).length;
  return h('details.branch', {toggle: opened}, h('summary', null, label, shorten(JSON.stringify(value), 60), h('span.dim', null, ' · ' + size)), inside);
}
