// Package command has the actions of the editor as data: what they are called, where
// they stand in the menu, which keys run them, and whether they can be run now. From
// one list it makes the main menu, the handling of keys, the palette that finds a
// command by typing, and the settings of shortcuts. What the commands do is up to
// who makes the list.
//
// How keys reach a command depends on Fyne:
//
//   - Keys with Ctrl, Alt or Meta are told to the main menu before anybody else. That
//     is how they work while a text field has the focus, which would swallow them. A
//     window whose main menu is not that of the set has no shortcuts there.
//   - Keys that edit text, such as Ctrl+C and Ctrl+Z, are therefore kept from the main
//     menu, which only shows them. They go to the text field, if one has the focus, or
//     else to [Set.Handle], by way of the canvas.
//   - Keys without such a modifier, such as F8 or H, are no shortcuts to Fyne. They
//     are told to what has the focus, or to the window if nothing has it. Widgets of
//     our own hand those they do not understand to [Set.HandleKey]; Fyne's own fields
//     drop them.
//
// Nothing runs by keys while a dialog, popup or picker is open. Everything here
// belongs to Fyne's own goroutine.
package command
