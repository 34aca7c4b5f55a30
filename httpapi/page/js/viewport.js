// The part of a drawing that is seen. It is moved by dragging, by arrows and on its own
// when the focus goes elsewhere, and made larger and smaller by two fingers, by the wheel
// with Ctrl, by + and − and by buttons. The wheel alone scrolls the page.

// viewport shows a sheet within its bounds. zoomed is called when the zoom has changed.
function viewport(sheet, bounds, zoomed) {
  const drawing = h('svg', {role: 'group', 'aria-label': 'The workflow'}, sheet);
  const frame = h('div.graph', {tabindex: 0, role: 'region', 'aria-label': 'Drawing: arrows move it, + and − zoom, 0 fits it'}, drawing);
  const at = {x: 0, y: 0, zoom: 1, fitted: true};
  const size = () => ({w: frame.clientWidth || 600, h: frame.clientHeight || 300});
  function draw() {
    keepNear(at, bounds, size());
    sheet.setAttribute('transform', `translate(${at.x} ${at.y}) scale(${at.zoom})`);
    drawing.style.setProperty('--zoom', Math.min(1, at.zoom));
    drawing.classList.toggle('far', at.zoom < plainest);
    zoomed(at.zoom);
  }
  function zoom(by, x = size().w / 2, y = size().h / 2) {
    const to = Math.min(largest, Math.max(smallest, at.zoom * by));
    Object.assign(at, {x: x - (x - at.x) * to / at.zoom, y: y - (y - at.y) * to / at.zoom, zoom: to, fitted: false});
    draw();
  }
  function move(dx, dy) {
    Object.assign(at, {x: at.x + dx, y: at.y + dy, fitted: false});
    draw();
  }
  function fit() {
    const {w} = size();
    const below = 44; // for the buttons
    const most = Math.max(400, innerHeight * 0.65);
    const scale = Math.max(fitFloor, Math.min(1, w / bounds.w, most / bounds.h));
    frame.style.height = Math.max(160, Math.min(most, bounds.h * scale) + below) + 'px';
    const room = {w, h: size().h - below};
    const along = (space, from, length) => (length * scale <= space ? (space - length * scale) / 2 : 0) - from * scale;
    Object.assign(at, {zoom: scale, x: along(room.w, bounds.x, bounds.w), y: along(room.h, bounds.y, bounds.h), fitted: true});
    draw();
  }
  // reveal moves a box into sight, if it is not. Until it was fitted into its room it waits for that.
  let awaited = null;
  function reveal(box) {
    if (!width) {
      awaited = box;
      return;
    }
    const {w, h: high} = size();
    const shift = (from, length, offset, space) => {
      const [low, up] = [from * at.zoom + offset - 16, (from + length) * at.zoom + offset + 16];
      return low < 0 ? -low : up > space ? Math.max(space - up, -low) : 0;
    };
    const [dx, dy] = [shift(box.x, box.w, at.x, w), shift(box.y, box.h, at.y, high)];
    if (dx || dy) move(dx, dy);
  }
  listenForHands(frame, zoom, move);
  listenForKeys(frame, zoom, move, fit);
  let width = 0;
  new ResizeObserver(() => {
    if (frame.clientWidth === width) return;
    width = frame.clientWidth;
    if (at.fitted) fit(); else draw();
    if (awaited && width) reveal(awaited);
    if (width) awaited = null;
  }).observe(frame);
  const button = (text, label, work) => h('button', {type: 'button', 'aria-label': label, title: label, click: work}, text);
  const tools = h('div.tools', null, button('−', 'Make smaller', () => zoom(1 / 1.25)), button('+', 'Make larger', () => zoom(1.25)), button('Fit', 'Fit the drawing', fit));
  return {element: h('div.stage', null, frame, tools), fit, reveal};
}

// keepNear leaves some of the drawing in sight.
function keepNear(at, bounds, {w, h: high}) {
  const near = (offset, from, length, space) => Math.min(space - 80 - from * at.zoom, Math.max(80 - (from + length) * at.zoom, offset));
  at.x = near(at.x, bounds.x, bounds.w, w);
  at.y = near(at.y, bounds.y, bounds.h, high);
}

function listenForHands(frame, zoom, move) {
  const fingers = new Map();
  let moved = false;
  const spot = (event) => ({x: event.clientX, y: event.clientY});
  const span = () => {
    const [a, b] = [...fingers.values()];
    return {length: Math.hypot(a.x - b.x, a.y - b.y), x: (a.x + b.x) / 2, y: (a.y + b.y) / 2};
  };
  frame.addEventListener('pointerdown', (event) => {
    if (event.button === 0) fingers.set(event.pointerId, spot(event));
    moved = false;
  });
  frame.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before.x, event.clientY - before.y];
    if (!moved && fingers.size === 1 && Math.hypot(dx, dy) < 4) return;
    moved = true;
    frame.setPointerCapture(event.pointerId);
    const old = fingers.size === 2 && span();
    fingers.set(event.pointerId, spot(event));
    if (!old) return move(dx, dy);
    const now = span();
    const box = frame.getBoundingClientRect();
    zoom(now.length / Math.max(1, old.length), now.x - box.x, now.y - box.y);
    move(now.x - old.x, now.y - old.y);
  });
  for (const end of ['pointerup', 'pointercancel']) frame.addEventListener(end, (event) => fingers.delete(event.pointerId));
  frame.addEventListener('click', (event) => { if (moved) event.stopPropagation(); moved = false; }, {capture: true});
  frame.addEventListener('wheel', (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY)) / 120), event.clientX - box.x, event.clientY - box.y);
  }, {passive: false});
}

function listenForKeys(frame, zoom, move, fit) {
  frame.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const work = {
      '+': () => zoom(1.25), '=': () => zoom(1.25), '-': () => zoom(1 / 1.25), 0: fit,
      ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60),
    }[event.key];
    if (!work) return;
    event.preventDefault();
    work();
  });
}
