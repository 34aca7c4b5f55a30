// What nodes are called: one name everywhere, on cards, in lists and in messages. It is
// the label that somebody gave, else the id.

const nameOf = (node) => node.label || node.id;

// levelOf returns the definition that a path of containers leads to, or null.
function levelOf(def, path) {
  return path.reduce((level, id) => {
    const node = level && level.nodes.find((node) => node.id === id);
    return (node && node.body) || null;
  }, def);
}

// nodeIn returns the node of a name such as "loop/fmt".
function nodeIn(def, name) {
  const path = name.split('/');
  const level = levelOf(def, path.slice(0, -1));
  return level ? level.nodes.find((node) => node.id === path.at(-1)) : undefined;
}

// calledIn returns what a node is called with the containers that it is in.
function calledIn(def, name) {
  const path = name.split('/');
  return path.map((_, i) => {
    const node = nodeIn(def, path.slice(0, i + 1).join('/'));
    return node ? nameOf(node) : path[i];
  }).join(' › ');
}
