//go:build e2e && linux

package e2e_test

import (
	"fmt"
	"image"
)

// editKeys are keys that only edit. None leads to the bar at the top, where all commands are.
func editKeys() []string {
	return []string{
		"ctrl+x", "ctrl+c", "ctrl+v", "ctrl+v", "ctrl+d", "ctrl+a", "ctrl+shift+a", "ctrl+bracketleft", "ctrl+bracketright", "ctrl+m", "ctrl+i", "ctrl+l", "ctrl+r",
		"ctrl+shift+n", "alt+Down", "alt+Up", "ctrl+shift+l", "alt+shift+l", "alt+shift+t", "alt+shift+h", "ctrl+g", "ctrl+shift+g", "ctrl+equal", "ctrl+minus",
		"ctrl+0", "ctrl+shift+1", "ctrl+shift+2", "ctrl+z", "ctrl+z", "ctrl+y", "F2", "F8", "shift+F8", "ctrl+Delete", "ctrl+Left", "ctrl+Down", "shift+Right",
	}
}

// otherKeys do everything else, and lead everywhere.
func otherKeys() []string {
	return []string{
		"F6", "Tab", "shift+Tab", "ctrl+n", "ctrl+o", "ctrl+shift+o", "ctrl+s", "ctrl+shift+s", "ctrl+Return", "ctrl+Return", "F5", "ctrl+shift+Return", "ctrl+period", "alt+1", "alt+2", "alt+3",
		"ctrl+t", "ctrl+w", "ctrl+Tab", "ctrl+Tab", "ctrl+shift+Tab", "ctrl+1", "ctrl+2", "ctrl+9", "ctrl+shift+Prior", "ctrl+shift+Next",
		"alt+shift+w", "alt+shift+j",
		"alt+4", "ctrl+shift+e", "ctrl+shift+f", "ctrl+shift+p", "ctrl+slash", "alt", "F10",
	}
}

// plainKeys are those without a meaning of their own.
func plainKeys() []string {
	return []string{
		"Return", "Return", "Escape", "Escape", "Escape", "space", "Delete", "BackSpace", "Up", "Down", "Left", "Right", "Home", "End",
		"Next", "Prior", "a", "e", "1", "F4",
	}
}

// texts are what is typed.
func texts() []string {
	return []string{"x", "12", "text", "{name}", "true", "1.5", "[1,2]", "split", "if"}
}

// action returns the lines of one thing to do.
func (m *monkey) action() []string {
	switch n := m.IntN(100); {
	case n < 26:
		return m.at(m.point(), "click 1")
	case n < 32:
		return m.at(m.point(), "click 3")
	case n < 37:
		return m.at(m.point(), "click --repeat 2 --delay 20 1")
	case n < 50:
		return m.drag()
	case n < 57:
		return m.at(m.point(), m.one("click 4", "click 5", "click 6", "click 7", "click --repeat 3 --delay 1 4", "click --repeat 3 --delay 1 5"))
	case n < 62:
		return []string{move(m.point())}
	case n < 84:
		return []string{m.key()}
	case n < 96:
		return []string{"key --delay 0 " + m.one(plainKeys()...)}
	default:
		return []string{"type --delay 0 " + m.one(texts()...)}
	}
}

func (m *monkey) key() string {
	keys := editKeys()
	if !m.editing && m.IntN(3) == 0 {
		keys = otherKeys()
	}
	if !m.editing && m.IntN(1500) == 0 {
		keys = []string{"ctrl+q"}
	}
	return "key --delay 0 " + m.one(keys...)
}

func (m *monkey) one(of ...string) string { return of[m.IntN(len(of))] }

// point returns a point of the window. A monkey that only edits avoids the bar at the top,
// with Save and all commands, the tabs, and the panel of runs.
func (m *monkey) point() image.Point {
	size := m.d.Size()
	if !m.editing {
		return image.Pt(m.IntN(size.X), m.IntN(size.Y))
	}
	const top, bottom, middle, right = 130, 230, 240, 330
	if m.IntN(3) > 0 { // mostly on the canvas
		return image.Pt(middle+m.IntN(size.X-middle-right), top+m.IntN(size.Y-top-bottom))
	}
	return image.Pt(m.IntN(size.X), top+30+m.IntN(size.Y-top-30-bottom))
}

func move(to image.Point) string { return fmt.Sprintf("mousemove %d %d", to.X, to.Y) }

func (m *monkey) at(p image.Point, what string) []string { return []string{move(p), what} }

// drag drags something in a few steps, now and then with a key held, and does not always
// let go.
func (m *monkey) drag() []string {
	from, to := m.point(), m.point()
	button := m.one("1", "1", "1", "2", "3")
	held := m.one("", "", "shift", "ctrl")
	if !m.editing && m.IntN(3) == 0 {
		held = "alt" // releasing it alone opens the menu, with all commands
	}
	lines := []string{move(from)}
	if held != "" {
		lines = append(lines, "keydown "+held)
	}
	lines = append(lines, "mousedown "+button)
	const steps = 3
	for i := 1; i <= steps; i++ {
		lines = append(lines, move(from.Add(to.Sub(from).Mul(i).Div(steps))), "sleep 0.004")
	}
	if m.IntN(8) == 0 {
		lines = append(lines, "key --delay 0 Escape")
	}
	lines = append(lines, "mouseup "+button)
	if held != "" {
		lines = append(lines, "keyup "+held)
	}
	return lines
}
