// Package valueview shows one value of a workflow: as text, as a tree, as a table or
// as a picture. It picks the look that suits the value, and lets the user take
// another. It shows values only; where they come from, others know.
//
// Views belong to Fyne's own goroutine.
package valueview
