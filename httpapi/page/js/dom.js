// Elements and texts. Nothing here ever parses a string as HTML: what workflows
// hold stays text.

// base is the address of the service, without a slash at its end.
const base = location.pathname.replace(/\/+$/, '');

const svgNames = new Set(['svg', 'g', 'path', 'rect', 'circle', 'text', 'line', 'title', 'foreignObject']);

// h makes an element: h('a.name', {href: '#'}, 'text', child, …). Attributes that
// are functions listen, those that are null or false are left out.
function h(what, attributes, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = svgNames.has(tag)
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag);
  if (classes.length) element.setAttribute('class', classes.join(' '));
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  return fill(element, ...children);
}

// fill gives an element other children: elements, texts, and lists of them. What
// is null or false is left out.
function fill(element, ...children) {
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const show = (...children) => fill(document.getElementById('main'), ...children);

const titled = (text) => { document.title = text + ' · Svc'; };

function notice(text) {
  const box = document.getElementById('notice');
  box.textContent = text || '';
  box.hidden = !text;
}

const state = (word) => h('span.state.' + word, null, word);

function duration(ms) {
  if (ms === undefined || ms === null) return '';
  if (ms < 1) return (Math.round(ms * 1000) / 1000) + ' ms';
  if (ms < 1000) return (Math.round(ms * 10) / 10) + ' ms';
  if (ms < 60000) return (Math.round(ms / 10) / 100) + ' s';
  const minutes = Math.floor(ms / 60000);
  if (minutes < 60) return minutes + ' min ' + Math.round((ms % 60000) / 1000) + ' s';
  return Math.floor(minutes / 60) + ' h ' + (minutes % 60) + ' min';
}

function moment(text) {
  return text ? h('time', {datetime: text, title: text}, new Date(text).toLocaleString()) : '';
}

function shorten(text, length) {
  return text.length > length ? text.slice(0, length - 1) + '…' : text;
}

// table draws a table. One that is wider than its place can be scrolled by keys.
function table(headings, rows) {
  const box = h('div.scroll', null, h('table', null,
    h('thead', null, h('tr', null, headings.map((heading) => h('th', {scope: 'col'}, heading)))),
    h('tbody', null, rows)));
  new ResizeObserver(() => {
    if (box.scrollWidth > box.clientWidth) box.setAttribute('tabindex', 0);
    else box.removeAttribute('tabindex');
  }).observe(box);
  return box;
}

// stacked is a table whose rows are cards where there is no room for columns. There a
// number says what it counts.
function stacked(headings, rows) {
  const box = table(headings, rows);
  box.classList.add('stack');
  for (const row of rows) [...row.children].forEach((cell, i) => { if (cell.matches('.number')) cell.dataset.of = headings[i]; });
  return box;
}

// prose draws a text with the marks that the API's description uses: paragraphs,
// lists with "- ", **strong** and `code`.
function prose(text) {
  return (text || '').trim().split('\n\n').map((part) => {
    const lines = part.split('\n');
    if (lines.every((line) => line.startsWith('- '))) return h('ul', null, lines.map((line) => h('li', null, marked(line.slice(2)))));
    return h('p', null, marked(part));
  });
}

function marked(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((piece) => {
    if (piece.startsWith('`')) return h('code', null, piece.slice(1, -1));
    if (piece.startsWith('**')) return h('strong', null, piece.slice(2, -2));
    return piece;
  });
}
