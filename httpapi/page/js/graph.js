// A level of a workflow as a drawing that can be moved, made larger and smaller, and gone
// through by keys.

const [smallest, plainest, largest] = [0.2, 0.96, 2]; // zooms; below plainest only names are legible
const fitFloor = 0.5; // what is fitted is not made smaller, so that its names can be read

async function layoutOf(level) {
  const {nodes, connections, groups, notes} = level;
  const spots = nodes.filter(({position}) => position).map(({position}) => position.x + ' ' + position.y);
  const keep = new Set(spots).size === spots.length; // cards that lie on each other were never placed
  const ask = (keep) => post('/layout?keep=' + keep, {id: level.id || 'body', nodes, connections, groups, notes});
  const layout = await ask(keep);
  return keep && overlap(layout.nodes) ? ask(false) : layout;
}

// overlap tells whether some cards lie on each other, as those do that have grown since they
// were placed: nobody could read them, and no wire could be led between them.
function overlap(boxes) {
  const sorted = [...boxes].sort((a, b) => a.x - b.x);
  return sorted.some((box, i) => {
    for (let k = i + 1; k < sorted.length && sorted[k].x < box.x + box.w; k++) {
      if (sorted[k].y < box.y + box.h && box.y < sorted[k].y + sorted[k].h) return true;
    }
    return false;
  });
}

// drawLevel draws what is on a level, with the bodies that are shown on its cards, and adds
// it to all: nodes, boxes and what they stand for by their names, "loop/fmt", and wires with
// the path of their level.
function drawLevel(level, layout, specs, path, on, all) {
  const byID = new Map(level.nodes.map((node) => [node.id, node]));
  const boxes = new Map(layout.nodes.map((box) => [box.id, box]));
  const typeOf = ({fromNodeId, fromPort}) => {
    const port = boxes.get(fromNodeId).ports.find((port) => port.output && port.name === fromPort);
    return port ? port.type : 'any';
  };
  const wires = layout.wires.map(({connection, points}) => {
    const wired = level.connections[connection];
    return {connection: wired, level: path, path: drawWire(points, wired, typeOf(wired), path)};
  });
  all.wires.push(...wires);
  const ends = new Set(level.connections.flatMap((c) => [JSON.stringify([c.fromNodeId, c.fromPort, true]), JSON.stringify([c.toNodeId, c.toPort, false])]));
  const wired = (id) => (port) => ends.has(JSON.stringify([id, port.name, Boolean(port.output)]));
  const nodes = [...boxes].map(([id, box]) => {
    const [name, node] = [[...path, id].join('/'), byID.get(id)];
    const drawn = drawNode(box, name, node, specs.get(node.type), wired(id), on);
    all.nodes.set(name, drawn);
    all.boxes.set(name, box);
    all.byName.set(name, node);
    return [drawn, box.body ? h('g', null, drawLevel(node.body, box.body, specs, [...path, id], on, all)) : null];
  });
  const groupOf = new Map((level.groups || []).map((group) => [group.id, group]));
  const noteOf = new Map((level.notes || []).map((note) => [note.id, note]));
  const frames = layout.groups.map((box) => drawGroup(box, groupOf.get(box.id), inkOf(groupOf.get(box.id).color)));
  all.frames.push(...frames);
  return [frames, layout.notes.map((box) => drawNote(box, noteOf.get(box.id))), wires.map((wire) => wire.path), nodes];
}

// graph draws a level. on.choose and on.open are called with the name of a node on it, which
// is "loop/fmt" in a body that is shown on a card.
function graph(level, layout, specs, on) {
  const all = {nodes: new Map(), boxes: new Map(), byName: new Map(), frames: [], wires: []};
  const sheet = h('g', null, drawLevel(level, layout, specs, [], on, all));
  const {nodes, boxes, byName, wires} = all;
  const view = viewport(sheet, boundsOf(layout), (zoom) => nameAll(zoom, all));
  roam(view, nodes, boxes);
  return {
    element: view.element,
    fit: view.fit,
    names: () => [...nodes.keys()],
    has: (name) => nodes.has(name),
    // unfolded are the names of those whose bodies are shown.
    unfolded: () => [...boxes].filter(([, box]) => box.body).map(([name]) => name),
    // mark shows the state of a node.
    mark(name, word, short, long) {
      const node = nodes.get(name);
      if (!node) return;
      node.classList.remove('running', 'succeeded', 'failed', 'skipped', 'cancelled', 'pending');
      if (word) node.classList.add(word);
      node.querySelector('.status').textContent = short || '';
      const is = byName.get(name);
      const spec = specs.get(is.type);
      faceOf(node).setAttribute('aria-label', [nameOf(is), spec ? spec.label : is.type, long || word].filter(Boolean).join(', '));
    },
    pick(name) {
      for (const [other, node] of nodes) {
        node.classList.toggle('chosen', other === name);
        faceOf(node).setAttribute('aria-pressed', String(other === name));
      }
    },
    reveal(name) { if (boxes.has(name)) view.reveal(boxes.get(name)); },
    // quiet dims the wires that carried nothing.
    quiet(carried) {
      for (const wire of wires) wire.path.classList.toggle('quiet', !carried(wire.connection, wire.level));
    },
  };
}

function boundsOf({nodes, notes, groups}) {
  const all = [...nodes.map((box) => (box.circle ? {x: box.x - 52, y: box.y - 20, w: 168, h: box.h + 64} : box)), ...notes, ...groups];
  if (!all.length) return {x: 0, y: 0, w: 320, h: 120};
  const [x, y] = [Math.min(...all.map((box) => box.x)) - 16, Math.min(...all.map((box) => box.y)) - 16];
  return {x, y, w: Math.max(...all.map((box) => box.x + box.w)) + 16 - x, h: Math.max(...all.map((box) => box.y + box.h)) + 16 - y};
}

// nameAll writes the names on cards and frames as large as ever, as far as there is room.
function nameAll(zoom, {nodes, boxes, byName, frames}) {
  const near = zoom >= plainest;
  for (const [name, node] of nodes) {
    const box = boxes.get(name);
    const room = box.circle ? 168 : box.w - 26 - (near ? 78 : 10);
    node.querySelector('.title').textContent = named(nameOf(byName.get(name)), room * zoom / Math.max(1, zoom));
  }
  for (const frame of frames) {
    const label = frame.querySelector('.label');
    label.textContent = named(label.dataset.text, label.dataset.room * zoom / Math.max(1, zoom));
  }
}

// named returns as much of a name as there is room for; of few letters nobody has any use.
const named = (name, room) => (letters(room, 13) < Math.min(3, name.length) ? '' : shorten(name, letters(room, 13)));

// faceOf is the part of a node that can be pressed; its texts lie above it.
const faceOf = (node) => node.querySelector('.face');

// roam lets keys go from node to node: Tab leads to one of them, arrows to its neighbours.
function roam(view, nodes, boxes) {
  const first = nodes.values().next().value;
  if (first) faceOf(first).setAttribute('tabindex', 0);
  for (const [id, node] of nodes) {
    faceOf(node).addEventListener('focus', () => {
      for (const other of nodes.values()) faceOf(other).setAttribute('tabindex', other === node ? 0 : -1);
      view.reveal(boxes.get(id));
    });
    node.addEventListener('keydown', (event) => {
      const next = arrows[event.key] && neighbour(boxes, id, arrows[event.key]);
      if (!arrows[event.key]) return;
      event.preventDefault();
      event.stopPropagation();
      if (next) faceOf(nodes.get(next)).focus();
    });
  }
}

const arrows = {ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1]};

// neighbour returns the nearest node in a direction.
function neighbour(boxes, id, [dx, dy]) {
  const middle = (box) => [box.x + box.w / 2, box.y + box.h / 2];
  const [x, y] = middle(boxes.get(id));
  let [best, nearest] = [null, Infinity];
  for (const [other, box] of boxes) {
    const [ox, oy] = middle(box);
    const along = (ox - x) * dx + (oy - y) * dy;
    const aside = Math.abs((ox - x) * dy + (oy - y) * dx);
    if (other !== id && along > 1 && along + 2 * aside < nearest) [best, nearest] = [other, along + 2 * aside];
  }
  return best;
}
