// Package theme has the colours, sizes and icons of the desktop editor, in four
// schemes: light, dark, as the system says, and high contrast. [Theme] gives them to
// Fyne's own widgets, [Palette] to what the editor draws itself.
//
// Everything in it is immutable and safe for concurrent use.
package theme
