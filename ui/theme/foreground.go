package theme

import "image/color"

// inMenus is an opaque colour of texts as Fyne gets it. For the shortcuts in its menus,
// Fyne takes the lowest byte of 95 % of the opacity, in 16 bits, as all of it: of what is
// fully opaque a fifth is left, which nobody can read. This one is opaque to everybody,
// and of its opacity that byte is the highest there is.
type inMenus color.NRGBA

// RGBA implements [color.Color].
func (c inMenus) RGBA() (r, g, b, a uint32) {
	const opaque, low = 0xFFCA, 200 // more would make another colour of it
	part := func(v uint8) uint32 { return uint32(v)<<8 | uint32(min(v, low)) }
	return part(c.R), part(c.G), part(c.B), opaque
}
