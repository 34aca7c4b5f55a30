// A workflow with its bodies: one level is drawn, and a line above it leads out again.

// board draws a definition. on.choose is called with the name of a node, "loop/fmt", on.level
// with the path of the level that is drawn, and on.items tells of a path of containers
// which of its rounds can be chosen.
async function board(root, specs, on) {
  const crumbs = h('nav.crumbs', {'aria-label': 'Levels'});
  const stage = h('div');
  const here = {path: [], drawing: null};
  const nameHere = (name) => [...here.path, name].join('/');
  async function open(path, chosen) {
    const level = levelOf(root, path);
    if (!level) return;
    const drawing = graph(level, await layoutOf(level), specs, {choose: (name) => on.choose(nameHere(name)), open: (name) => open([...here.path, ...name.split('/')])});
    Object.assign(here, {path, drawing});
    fill(stage, drawing.element);
    drawing.fit();
    tell();
    on.level();
    if (chosen) {
      on.choose(nameHere(chosen));
      drawing.reveal(chosen);
    }
  }
  // hereOf returns what a node is called on the level that is drawn, if it is drawn there; else null.
  function hereOf(name) {
    const before = here.path.join('/') + (here.path.length ? '/' : '');
    return name.startsWith(before) && here.drawing.has(name.slice(before.length)) ? name.slice(before.length) : null;
  }
  // tell writes where one is, and which rounds are shown of the bodies on cards.
  function tell() {
    const choosers = here.drawing.unfolded().map((name) => {
      const items = on.items && on.items(nameHere(name).split('/'));
      return items ? h('span.inside', null, ' · ', nameOf(nodeIn(root, nameHere(name))), items) : null;
    }).filter(Boolean);
    crumbs.hidden = !here.path.length && !choosers.length;
    const step = (path, name) => (path.length === here.path.length
      ? h('span', {'aria-current': 'location'}, name) : h('button.link', {type: 'button', click: () => open(path, here.path[path.length])}, name));
    fill(crumbs, step([], root.name || root.id || 'Workflow'), here.path.map((id, i) => {
      const path = here.path.slice(0, i + 1);
      const node = nodeIn(root, path.join('/'));
      return [' › ', step(path, nameOf(node)), on.items ? on.items(path) : null];
    }), choosers);
  }
  await open([]);
  return {element: h('div.board', null, crumbs, stage), here, hereOf, open, tell};
}
