// Package command has the actions of the editor as data: their titles, menus, keys, and when
// they are enabled. From one list it makes the main menu, key handling, the palette that
// finds a command by typing, and the settings of shortcuts. The caller provides what the
// commands do.
//
// How keys reach a command depends on Fyne:
//
//   - Keys with Ctrl, Alt or Meta go to the main menu first. That is how they work
//     while a text field has the focus, which would swallow them. A window whose main
//     menu is not that of the set has no shortcuts there.
//   - Keys that edit text, such as Ctrl+C and Ctrl+Z, are therefore kept from the main
//     menu, which only shows them. They go to the text field, if one has the focus, or
//     else to [Set.Handle], by way of the canvas.
//   - Keys without such a modifier, such as F8 or H, are no shortcuts to Fyne. They go
//     to the focused widget, or to the window if there is no focus. Our own widgets pass
//     keys that they do not handle to [Set.HandleKey]; Fyne's own fields drop them.
//
// No key runs a command while a dialog, popup or picker is open. Everything here belongs to
// Fyne's own goroutine.
package command
