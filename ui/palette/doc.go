// Package palette is the list of node types at the left of the editor: a search field, the
// types by category, the last used ones on top. It reports which type the user wants and
// where, and does not change the document.
package palette
