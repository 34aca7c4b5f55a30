// What is on a level of a workflow, drawn where the service's layout puts it: the cards of
// nodes with their ports, wires, notes and the frames of groups.

// portLooks has a colour and a shape for each type, so that the shape alone will do.
const portLooks = {
  string: ['#7FB069', 'dot'], enum: ['#7FB069', 'notch'], int: ['#4F8FD6', 'dot'], float: ['#35A7A0', 'dot'],
  bool: ['#B57EDC', 'triangle'], list: ['#D9A441', 'square'], record: ['#CF7A4B', 'diamond'], any: ['#9AA3B2', 'dot'],
  credential: ['#D65A7B', 'ring'], media: ['#5C6BC0', 'dot'],
};

const lookOf = (type) => portLooks[(/^[a-z]+/.exec(type || '') || ['any'])[0]] || portLooks.any;

const isControl = (name) => name.startsWith('$');

// drawPort draws a port; one that has no row is smaller.
function drawPort(port) {
  const [colour, shape] = lookOf(port.type);
  const {x, y} = port;
  const title = h('title', null, port.name + ': ' + port.type);
  if (isControl(port.name)) return h('circle.port', {cx: x, cy: y, r: 3.5, fill: colour}, title);
  switch (shape) {
    case 'square': return h('rect.port', {x: x - 5, y: y - 5, width: 10, height: 10, fill: colour}, title);
    case 'diamond': return h('path.port', {d: `M${x - 6} ${y}L${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}Z`, fill: colour}, title);
    case 'triangle': return h('path.port', {d: `M${x - 5} ${y - 6}L${x + 6} ${y}L${x - 5} ${y + 6}Z`, fill: colour}, title);
    case 'notch': return h('path.port', {d: `M${x + 5} ${y - 3}A5.5 5.5 0 1 0 ${x + 5} ${y + 3}L${x} ${y}Z`, fill: colour}, title);
    case 'ring': return h('circle.port.hollow', {cx: x, cy: y, r: 4.5, stroke: colour}, title);
    default: return h('circle.port', {cx: x, cy: y, r: 5.5, fill: colour}, title);
  }
}

const letters = (room, size) => Math.max(0, Math.floor(room / (size * 0.58)));

function drawCard(box, node, spec) {
  const {x, y, w} = box;
  const row = (port) => {
    const at = port.y + 4;
    if (port.output) return h('text.row.end', {x: x + w - 14, y: at}, shorten(port.name, 26));
    const label = shorten(port.name, 26);
    const room = letters(w - 40 - label.length * 7, 12);
    return [h('text.row', {x: x + 14, y: at}, label),
      port.value ? h('text.row.value.mono', {x: x + 26 + label.length * 7, y: at}, shorten(port.value, Math.max(1, Math.min(18, room)))) : null];
  };
  return {
    face: [
      node.body ? h('rect.box.under', {x: x + 4, y: y + 4, width: w, height: box.h, rx: 10}) : null,
      h('rect.box', {x, y, width: w, height: box.h, rx: 10}),
      h('rect', {x: x + 12, y: y + 13, width: 8, height: 8, rx: 2, fill: (spec && spec.card.color) || '#9AA3B2'}),
      box.h > 34 ? h('line.split', {x1: x, y1: y + 34, x2: x + w, y2: y + 34}) : null,
      box.body ? h('rect.ground', {x: box.body.x, y: box.body.y, width: box.body.w, height: box.body.h, rx: 6}) : null,
    ],
    texts: [
      h('text.title', {x: x + 26, y: y + 22}),
      h('text.status.end', {x: x + w - 12, y: y + 21.5}),
      box.ports.filter((port) => !isControl(port.name)).map(row),
    ],
  };
}

function drawCircle(box, node, spec) {
  const [cx, cy] = [box.x + box.w / 2, box.y + box.h / 2];
  return {
    face: [h('circle.ring', {cx, cy, r: box.w / 2 + 4}), h('circle.disc', {cx, cy, r: box.w / 2, fill: spec.card.color})],
    texts: [
      h('text.glyph', {x: cx, y: cy + 6}, (spec.label || node.type).slice(0, 1)),
      h('text.title.middle', {x: cx, y: box.y + box.h + 20}),
      h('text.status.middle', {x: cx, y: box.y + box.h + 38}),
    ],
  };
}

// drawNode draws a node of a name, without the ports that every node has and no wire leads to. on
// tells what to do when it is chosen or opened.
function drawNode(box, name, node, spec, wired, on) {
  const kind = spec ? spec.label : node.type;
  const pressed = (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    on.choose(name);
  };
  const {face, texts} = box.circle ? drawCircle(box, node, spec) : drawCard(box, node, spec);
  return h('g.node' + (node.disabled ? '.disabled' : '') + (spec ? '' : '.unknown'), {'data-id': name},
    h('g.face', {
      tabindex: -1, role: 'button', 'aria-label': nameOf(node) + ', ' + kind,
      click: () => on.choose(name), dblclick: () => { if (node.body) on.open(name); }, keydown: pressed,
    }, h('title', null, nameOf(node) + ' · ' + kind + ' (' + node.type + ')'), face,
    box.ports.filter((port) => !port.fixed && (!isControl(port.name) || wired(port))).map(drawPort)),
    h('g.texts', {'aria-hidden': 'true'}, texts));
}

// wirePath returns the way of a wire: a curve, or if it has bends, lines with corners that
// are as round as that.
function wirePath(points, round) {
  const [from, to] = [points[0], points.at(-1)];
  if (points.length === 2) {
    const reach = Math.min(240, Math.max(40, Math.abs(to.x - from.x) / 2));
    return `M${from.x} ${from.y}C${from.x + reach} ${from.y} ${to.x - reach} ${to.y} ${to.x} ${to.y}`;
  }
  const toward = (at, other, far) => {
    const length = Math.hypot(other.x - at.x, other.y - at.y) || 1;
    const part = Math.min(far, length / 2) / length;
    return (at.x + (other.x - at.x) * part) + ' ' + (at.y + (other.y - at.y) * part);
  };
  const corners = points.slice(1, -1).map((at, i) => `L${toward(at, points[i], round)}Q${at.x} ${at.y} ${toward(at, points[i + 2], round)}`);
  return `M${from.x} ${from.y}` + corners.join('') + `L${to.x} ${to.y}`;
}

// drawWire draws a wire between nodes on a path of containers.
function drawWire(points, connection, type, path) {
  const {fromNodeId, fromPort, toNodeId, toPort} = connection;
  const name = (id) => [...path, id].join('/');
  const round = connection.via?.length ? 10 : 12; // as in the editor
  return h('path.wire', {d: wirePath(points, round), stroke: lookOf(type)[0], 'data-from': name(fromNodeId), 'data-to': name(toNodeId)},
    h('title', null, fromNodeId + '.' + fromPort + ' → ' + toNodeId + '.' + toPort));
}

function drawNote(box, note) {
  return h('foreignObject.note', {x: box.x, y: box.y, width: box.w, height: box.h}, h('div.sheet', null, note.text));
}

function drawGroup(box, group, ink) {
  const drawn = h('g.group', null, h('rect.frame', {x: box.x, y: box.y, width: box.w, height: box.h, rx: 12}),
    h('text.label', {x: box.x + 14, y: box.y + 19, 'data-room': box.w - 28, 'data-text': group.label || group.id}));
  if (ink) drawn.firstChild.style.stroke = ink;
  return drawn;
}

// inkOf returns a colour of the document that may be drawn with.
const inkOf = (colour) => (/^#[0-9A-Fa-f]{6}$/.test(colour || '') ? colour : null);
