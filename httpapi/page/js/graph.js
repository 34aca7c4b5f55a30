// A workflow drawn as cards, circles and wires.

const cardWidth = 184;
const titleHeight = 36;
const rowHeight = 24;
const radius = 32;
const margin = 40;

// portLooks has a colour and a shape for each type, so that the shape alone will do.
const portLooks = {
  string: ['#7FB069', 'dot'], enum: ['#7FB069', 'notch'], int: ['#4F8FD6', 'dot'], float: ['#35A7A0', 'dot'],
  bool: ['#B57EDC', 'triangle'], list: ['#D9A441', 'square'], record: ['#CF7A4B', 'diamond'], any: ['#9AA3B2', 'dot'],
  credential: ['#D65A7B', 'ring'], media: ['#5C6BC0', 'dot'],
};

const lookOf = (type) => portLooks[(/^[a-z]+/.exec(type || '') || ['any'])[0]] || portLooks.any;

// controlTypes are the ports without rows that every node has.
const controlTypes = {$after: 'any', $when: 'bool', $done: 'bool', $error: 'record'};

const isControl = (name) => name.startsWith('$');

// controlsOf returns those of a node that wires end at, beside its title.
function controlsOf(node, connections) {
  const named = (names) => [...new Set(names)].filter(isControl).map((name) => ({name, type: controlTypes[name] || 'any'}));
  return {
    inputs: named(connections.filter((c) => c.toNodeId === node.id).map((c) => c.toPort)),
    outputs: named(connections.filter((c) => c.fromNodeId === node.id).map((c) => c.fromPort)),
  };
}

// portsOf returns the ports to draw of a node: those that it shows by itself, and
// those that wires end at, which its type alone does not tell.
function portsOf(node, spec, connections) {
  const named = (side, wired) => {
    const ports = (spec ? spec[side] : []).filter((port) => wired.has(port.name) || side === 'outputs' || port.required && !port.literal);
    const known = new Set(ports.map((port) => port.name));
    for (const name of wired) if (!known.has(name) && !isControl(name)) ports.push({name, type: 'any'});
    return ports;
  };
  return {
    inputs: named('inputs', new Set(connections.filter((c) => c.toNodeId === node.id).map((c) => c.toPort))),
    outputs: named('outputs', new Set(connections.filter((c) => c.fromNodeId === node.id).map((c) => c.fromPort))),
  };
}

// placed gives each node a box. A workflow that nobody has laid out is put into
// columns, each node right of all that it waits for.
function placed(def, specs) {
  const boxes = new Map();
  for (const node of def.nodes) {
    const spec = specs.get(node.type);
    const ports = portsOf(node, spec, def.connections);
    const round = Boolean(spec && spec.card && spec.card.shape === 'circle');
    const rows = Math.max(ports.inputs.length, ports.outputs.length, 1);
    boxes.set(node.id, {
      node, spec, ports, round, controls: controlsOf(node, def.connections), x: 0, y: 0,
      width: round ? 2 * radius : cardWidth,
      height: round ? 2 * radius + 40 : titleHeight + rows * rowHeight + 22,
    });
  }
  const spots = new Set(def.nodes.map((node) => node.position ? node.position.x + ' ' + node.position.y : ''));
  if (spots.size === def.nodes.length && !spots.has('')) {
    for (const box of boxes.values()) Object.assign(box, {x: box.node.position.x, y: box.node.position.y});
  } else {
    inColumns(def, boxes);
  }
  return boxes;
}

function inColumns(def, boxes) {
  const waits = new Map(def.nodes.map((node) => [node.id, 0]));
  const column = new Map(waits);
  for (const c of def.connections) if (boxes.has(c.fromNodeId) && boxes.has(c.toNodeId)) waits.set(c.toNodeId, waits.get(c.toNodeId) + 1);
  const ready = def.nodes.map((node) => node.id).filter((id) => !waits.get(id));
  for (let id = ready.shift(); id !== undefined; id = ready.shift()) {
    for (const c of def.connections.filter((c) => c.fromNodeId === id && boxes.has(c.toNodeId))) {
      column.set(c.toNodeId, Math.max(column.get(c.toNodeId), column.get(id) + 1));
      waits.set(c.toNodeId, waits.get(c.toNodeId) - 1);
      if (!waits.get(c.toNodeId)) ready.push(c.toNodeId);
    }
  }
  const bottom = [];
  for (const box of boxes.values()) {
    const k = column.get(box.node.id);
    box.x = k * (cardWidth + 72);
    box.y = bottom[k] || 0;
    bottom[k] = box.y + box.height + 32;
  }
}

// spotOf returns where a port of a box is.
function spotOf(box, side, name) {
  if (isControl(name)) return controlSpot(box, side, name);
  const ports = box.ports[side];
  const index = Math.max(0, ports.findIndex((port) => port.name === name));
  if (!box.round) {
    return {x: box.x + (side === 'inputs' ? 0 : box.width), y: box.y + titleHeight + (index + 0.5) * rowHeight};
  }
  const angle = Math.PI * ((index + 1) / (ports.length + 1) - 0.5) * 0.9;
  const turn = side === 'inputs' ? -1 : 1;
  return {x: box.x + radius + turn * (radius + 2) * Math.cos(angle), y: box.y + radius + (radius + 2) * Math.sin(angle)};
}

// controlSpot puts a port without a row beside the title of a card, or above a circle.
function controlSpot(box, side, name) {
  const second = name === '$when' || name === '$error';
  if (!box.round) return {x: box.x + (side === 'inputs' ? 0 : box.width), y: box.y + (second ? 25 : 10)};
  const away = side === 'inputs' ? (second ? -8 : -23) : (second ? 23 : 8);
  return {x: box.x + radius + away, y: box.y - 14};
}

// drawControl draws such a port, smaller than others.
function drawControl(spot, port) {
  return h('circle.port', {cx: spot.x, cy: spot.y, r: 3.5, fill: lookOf(port.type)[0]}, h('title', null, port.name + ': ' + port.type));
}

function drawPort(spot, port) {
  const [colour, shape] = lookOf(port.type);
  const {x, y} = spot;
  const title = h('title', null, port.name + ': ' + port.type);
  switch (shape) {
    case 'square': return h('rect.port', {x: x - 5, y: y - 5, width: 10, height: 10, fill: colour}, title);
    case 'diamond': return h('path.port', {d: `M${x - 6} ${y}L${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}Z`, fill: colour}, title);
    case 'triangle': return h('path.port', {d: `M${x - 5} ${y - 6}L${x + 6} ${y}L${x - 5} ${y + 6}Z`, fill: colour}, title);
    case 'notch': return h('path.port', {d: `M${x + 5} ${y - 3}A5.5 5.5 0 1 0 ${x + 5} ${y + 3}L${x} ${y}Z`, fill: colour}, title);
    case 'ring': return h('circle.port.hollow', {cx: x, cy: y, r: 4.5, stroke: colour}, title);
    default: return h('circle.port', {cx: x, cy: y, r: 5.5, fill: colour}, title);
  }
}

const titleOf = (box) => box.node.label || (box.spec ? box.spec.label : box.node.type);

function drawCard(box) {
  const row = (index) => box.y + titleHeight + (index + 0.5) * rowHeight + 4;
  return [
    h('rect.box', {x: box.x, y: box.y, width: box.width, height: box.height, rx: 10}),
    h('rect', {x: box.x + 12, y: box.y + 14, width: 8, height: 8, rx: 2, fill: box.spec && box.spec.card.color || '#9AA3B2'}),
    h('text.title', {x: box.x + 26, y: box.y + 23}, shorten(titleOf(box), 22)),
    h('line.split', {x1: box.x, y1: box.y + titleHeight - 2, x2: box.x + box.width, y2: box.y + titleHeight - 2}),
    box.ports.inputs.map((port, i) => h('text.note', {x: box.x + 14, y: row(i)}, shorten(port.name, 12))),
    box.ports.outputs.map((port, i) => h('text.note.end', {x: box.x + box.width - 14, y: row(i)}, shorten(port.name, 12))),
    h('text.note.status', {x: box.x + 12, y: box.y + box.height - 8}),
  ];
}

function drawCircle(box) {
  const middle = {x: box.x + radius, y: box.y + radius};
  return [
    h('circle.ring', {cx: middle.x, cy: middle.y, r: radius + 4}),
    h('circle.disc', {cx: middle.x, cy: middle.y, r: radius, fill: box.spec.card.color}),
    h('text.glyph', {x: middle.x, y: middle.y + 6}, titleOf(box).slice(0, 1)),
    h('text.title.middle', {x: middle.x, y: box.y + 2 * radius + 20}, shorten(titleOf(box), 24)),
    h('text.note.status.middle', {x: middle.x, y: box.y + 2 * radius + 36}),
  ];
}

function drawNode(box, choose) {
  const id = box.node.id;
  const pressed = (event) => {
    if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(id); }
  };
  return h('g.node' + (box.node.disabled ? '.disabled' : '') + (box.spec ? '' : '.unknown'),
    {tabindex: 0, role: 'button', 'aria-label': titleOf(box), click: () => choose(id), keydown: pressed},
    h('title', null, id + ' · ' + box.node.type),
    box.round ? drawCircle(box) : drawCard(box),
    box.ports.inputs.map((port) => drawPort(spotOf(box, 'inputs', port.name), port)),
    box.ports.outputs.map((port) => drawPort(spotOf(box, 'outputs', port.name), port)),
    ['inputs', 'outputs'].map((side) => box.controls[side].map((port) => drawControl(controlSpot(box, side, port.name), port))));
}

function drawWire(from, to, type) {
  const pull = Math.max(32, Math.abs(to.x - from.x) / 2);
  return h('path.wire', {
    d: `M${from.x} ${from.y}C${from.x + pull} ${from.y} ${to.x - pull} ${to.y} ${to.x} ${to.y}`, stroke: lookOf(type)[0],
  });
}

// graph draws a workflow. choose is called with the id of a node that was picked.
function graph(def, specs, choose) {
  const boxes = placed(def, specs);
  const wires = def.connections.filter((c) => boxes.has(c.fromNodeId) && boxes.has(c.toNodeId)).map((connection) => {
    const from = boxes.get(connection.fromNodeId);
    const to = boxes.get(connection.toNodeId);
    const port = [...from.ports.outputs, ...from.controls.outputs].find((port) => port.name === connection.fromPort);
    return {connection, path: drawWire(spotOf(from, 'outputs', connection.fromPort), spotOf(to, 'inputs', connection.toPort), port && port.type)};
  });
  const nodes = new Map([...boxes.values()].map((box) => [box.node.id, drawNode(box, choose)]));
  const all = [...boxes.values()];
  const left = Math.min(0, ...all.map((box) => box.x)) - margin;
  const top = Math.min(0, ...all.map((box) => box.y)) - margin;
  const width = Math.max(320, ...all.map((box) => box.x + box.width)) - left + margin;
  const height = Math.max(0, ...all.map((box) => box.y + box.height)) - top + margin;
  const scale = Math.min(1, Math.max(0.6, (Math.min(innerWidth, 1280) - 64) / width));
  const drawing = h('svg', {viewBox: `${left} ${top} ${width} ${height}`, width: width * scale, height: height * scale, role: 'group', 'aria-label': 'The workflow'},
    wires.map((wire) => wire.path), [...nodes.values()]);
  return {
    element: h('div.graph', null, drawing),
    // mark shows the state of a node.
    mark(id, word, note) {
      const node = nodes.get(id);
      if (!node) return;
      node.classList.remove('running', 'succeeded', 'failed', 'skipped', 'cancelled');
      if (word) node.classList.add(word);
      node.querySelector('.status').textContent = note || '';
    },
    pick(id) {
      for (const [other, node] of nodes) node.classList.toggle('chosen', other === id);
    },
    // quiet dims the wires that carried nothing.
    quiet(carried) {
      for (const wire of wires) wire.path.classList.toggle('quiet', !carried(wire.connection));
    },
  };
}
