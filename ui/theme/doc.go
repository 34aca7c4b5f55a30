// Package theme has the colours, sizes and icons of the desktop editor, in four schemes:
// light, dark, following the system, and high contrast. [Theme] is for Fyne's own widgets,
// [Palette] for what the editor draws itself.
//
// Everything in it is immutable and safe for concurrent use.
package theme
