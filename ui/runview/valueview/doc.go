// Package valueview shows one value of a workflow: as text, as a tree, as a table or as a
// picture. It picks the view that suits the value, and lets the user choose another. It does
// not know where values come from.
//
// Views belong to Fyne's own goroutine.
package valueview
