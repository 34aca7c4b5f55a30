// Package palette is the list of node types at the left of the editor: a field that
// searches them, the types by category, the ones used last on top. It says which type
// the user wants and where; it changes no document.
package palette
