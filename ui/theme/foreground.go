package theme

import "image/color"

// inMenus is an opaque text colour for Fyne. For the shortcuts in its menus, Fyne takes the
// lowest byte of 95 % of the 16-bit opacity as the whole opacity: for a fully opaque colour
// only a fifth is left, which is unreadable. The opacity of this colour counts as opaque
// everywhere, and gives the highest such byte.
type inMenus color.NRGBA

// RGBA implements [color.Color].
func (c inMenus) RGBA() (r, g, b, a uint32) {
	const opaque, low = 0xFFCA, 200 // a larger value would change the colour
	part := func(v uint8) uint32 { return uint32(v)<<8 | uint32(min(v, low)) }
	return part(c.R), part(c.G), part(c.B), opaque
}
