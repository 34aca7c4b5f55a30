// Values of workflows, drawn as somebody wishes.

function shown(value, wish) {
  if (isElided(value)) {
    return h('p.dim', null, value.$elided.bytes.toLocaleString('en') + ' bytes, not sent. “Show everything” loads them.');
  }
  const view = viewOf(value, wish);
  switch (view.kind) {
    case 'markdown': return markdown(view.text);
    case 'picture': return picture(view.picture);
    case 'media': return player(view, Boolean(wish && wish.kind === 'media'));
    case 'json': return tree(value);
    case 'table': return [
      table(view.columns, view.rows.map((row) => h('tr', null, row.map((cell) => h('td', null, cell))))),
      view.cut ? h('p.dim', null, 'This is not all of it.') : null,
    ];
    default: return h('pre', null, view.text);
  }
}

// picture draws what is in the value itself. Others are shown by their address.
function picture({url, path}) {
  if (url && url.startsWith('data:')) return h('img.picture', {src: url, alt: 'The picture'});
  if (url) return h('p', null, linkTo(url, url));
  return h('p.mono', null, path);
}

// shownByName draws values; wishes tells of some of them how.
function shownByName(values, wishes) {
  return Object.entries(values || {}).map(([name, value]) => [h('h3.mono', null, name), shown(value, wishes && Object.hasOwn(wishes, name) ? wishes[name] : undefined)]);
}
