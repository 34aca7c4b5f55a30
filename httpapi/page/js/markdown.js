// Markdown as elements. What is HTML in it stays text; no picture is loaded, and links
// lead to web pages only, which learn nothing of this one.

const longestMarkdown = 200000;

function markdown(text) {
  if (text.length > longestMarkdown) return h('pre', null, text);
  return h('div.markdown', null, blocksOf(window.marked.lexer(text)));
}

const blocksOf = (tokens) => (tokens || []).map((token) => {
  switch (token.type) {
    case 'space': case 'def': return null;
    case 'heading': return h('p.heading', {role: 'heading', 'aria-level': Math.min(6, token.depth + 2)}, inlineOf(token.tokens));
    case 'paragraph': return h('p', null, inlineOf(token.tokens));
    case 'list': return h(token.ordered ? 'ol' : 'ul', token.ordered && token.start > 1 ? {start: token.start} : null, token.items.map(itemOf));
    case 'blockquote': return h('blockquote', null, blocksOf(token.tokens));
    case 'code': return h('pre', null, token.text);
    case 'hr': return h('hr');
    case 'table': return table(token.header.map((cell) => inlineOf(cell.tokens)),
      token.rows.map((row) => h('tr', null, row.map((cell) => h('td', null, inlineOf(cell.tokens))))));
    case 'text': return token.tokens ? inlineOf(token.tokens) : token.text;
    default: return h('p', null, token.raw);
  }
});

const itemOf = (item) => h('li', null, item.task ? (item.checked ? '☑ ' : '☐ ') : null, blocksOf((item.tokens || []).filter((token) => token.type !== 'checkbox')));

const inlineOf = (tokens) => (tokens || []).map((token) => {
  switch (token.type) {
    case 'strong': return h('strong', null, inlineOf(token.tokens));
    case 'em': return h('em', null, inlineOf(token.tokens));
    case 'del': return h('del', null, inlineOf(token.tokens));
    case 'codespan': return h('code', null, token.text);
    case 'br': return h('br');
    case 'link': return linkTo(token.href, inlineOf(token.tokens));
    case 'image': return '[' + token.text + '] ' + token.href;
    case 'text': return token.tokens ? inlineOf(token.tokens) : token.text;
    case 'escape': return token.text;
    default: return token.raw;
  }
});

// linkTo is a link that opens beside this page.
function linkTo(address, children) {
  if (!/^https?:\/\//i.test(address)) return [children, ' (' + address + ')'];
  return h('a', {href: address, target: '_blank', rel: 'noopener noreferrer', title: address}, children);
}
