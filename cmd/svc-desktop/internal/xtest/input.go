//go:build linux

package xtest

import (
	"image"
	"slices"
	"strconv"

	"github.com/stretchr/testify/require"
)

// The buttons of the mouse.
const (
	Left   = 1
	Middle = 2
	Right  = 3
)

// The wheel is two further buttons.
const (
	wheelUp   = 4
	wheelDown = 5
)

// between is the pause between two motions, in seconds: the program polls the mouse sixty
// times a second.
const between = "0.03"

// Move moves the mouse to a point of the screen.
func (d *Desktop) Move(to image.Point) { d.t.Helper(); d.xdotool(move(to)) }

// Park moves the mouse to the lower right corner, away from everything.
func (d *Desktop) Park() { d.t.Helper(); d.Move(d.size.Sub(image.Pt(1, 1))) }

// Click presses and releases the left button at a point.
func (d *Desktop) Click(at image.Point) { d.t.Helper(); d.Press(at, Left) }

// Press presses and releases a button at a point, with modifier keys such as "ctrl"
// held.
func (d *Desktop) Press(at image.Point, button int, modifiers ...string) {
	d.t.Helper()
	d.xdotool(move(at), pause(), d.held(modifiers, sequence("click", strconv.Itoa(button))))
}

// DoubleClick clicks twice with the left button.
func (d *Desktop) DoubleClick(at image.Point) {
	d.t.Helper()
	d.xdotool(move(at), pause(), sequence("click", "--repeat", "2", "--delay", "60", strconv.Itoa(Left)))
}

// steps is the number of motions of a drag.
const steps = 8

// Drag presses a button at one point and releases it at another, with modifier keys
// held.
func (d *Desktop) Drag(from, to image.Point, button int, modifiers ...string) {
	d.t.Helper()
	pressed := strconv.Itoa(button)
	way := [][]string{sequence("mousedown", pressed), pause()}
	for i := 1; i <= steps; i++ {
		way = append(way, move(from.Add(to.Sub(from).Mul(i).Div(steps))), pause())
	}
	way = append(way, pause(), sequence("mouseup", pressed))
	d.xdotool(move(from), pause(), d.held(modifiers, slices.Concat(way...)))
}

// Scroll turns the wheel at a point by a number of notches: down if positive, up if negative.
func (d *Desktop) Scroll(at image.Point, notches int, modifiers ...string) {
	d.t.Helper()
	button := wheelDown
	if notches < 0 {
		button, notches = wheelUp, -notches
	}
	turn := sequence("click", "--repeat", strconv.Itoa(notches), "--delay", "40", strconv.Itoa(button))
	d.xdotool(move(at), pause(), d.held(modifiers, turn))
}

// Type types ASCII text into the window under the mouse: the toolkit drops keys that xdotool
// maps on the fly.
func (d *Desktop) Type(text string) {
	d.t.Helper()
	d.xdotool(sequence("type", "--delay", "25", "--", text))
}

// Key presses keys, by their names in xdotool, one after the other: "ctrl+s", "Escape" or
// "F8".
func (d *Desktop) Key(keys ...string) {
	d.t.Helper()
	for _, key := range keys {
		d.xdotool(sequence("key", key), pause())
	}
}

// held surrounds xdotool commands with pressing and releasing keys.
func (d *Desktop) held(keys, do []string) []string {
	var down, up []string
	for _, key := range keys {
		down = append(down, "keydown", key)
		up = append(up, "keyup", key)
	}
	return slices.Concat(down, do, up)
}

// xdotool does all of it in order.
func (d *Desktop) xdotool(does ...[]string) {
	d.t.Helper()
	args := slices.Concat(does...)
	_, err := d.tool("xdotool", args...)
	require.NoError(d.t, err, "xdotool %q", args)
}

func sequence(words ...string) []string { return words }

func move(to image.Point) []string {
	return sequence("mousemove", strconv.Itoa(to.X), strconv.Itoa(to.Y))
}

func pause() []string { return sequence("sleep", between) }
