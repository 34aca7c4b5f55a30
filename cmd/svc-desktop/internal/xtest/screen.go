//go:build linux

package xtest

import (
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"time"

	"github.com/stretchr/testify/require"
)

// Screen is what was on the screen at a moment.
type Screen struct{ *image.RGBA }

// Screen returns what is on the screen now, without the pointer of the mouse.
func (d *Desktop) Screen() *Screen {
	d.t.Helper()
	file, err := os.ReadFile(d.frame)
	require.NoError(d.t, err)
	s, err := decode(file)
	require.NoError(d.t, err)
	return s
}

// Await waits until the screen is as it should be, and returns it. When it does not get
// so, what it shows is written to a file.
func (d *Desktop) Await(what string, so func(*Screen) bool) *Screen {
	d.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		s := d.Screen()
		if so(s) {
			return s
		}
		if time.Now().After(deadline) {
			path := filepath.Join(os.TempDir(), "svc-desktop-screen.png")
			d.Save(path, s)
			require.FailNow(d.t, "the screen never shows "+what, "see %s", path)
		}
		<-time.After(30 * time.Millisecond)
	}
}

// quiet is how long nothing changes on a screen that has settled.
const quiet = 400 * time.Millisecond

// Settled waits until nothing changes any more, and returns what is shown then. A
// blinking cursor is a change.
func (d *Desktop) Settled() *Screen {
	d.t.Helper()
	last, since := d.Screen(), time.Now()
	return d.Await("the same for a while", func(s *Screen) bool {
		if !s.Same(last, s.Bounds()) {
			last, since = s, time.Now()
		}
		return time.Since(since) > quiet
	})
}

// Save writes what a screen shows to a PNG file.
func (d *Desktop) Save(path string, s *Screen) {
	d.t.Helper()
	file, err := os.Create(path)
	require.NoError(d.t, err)
	require.NoError(d.t, png.Encode(file, s))
	require.NoError(d.t, file.Close())
}

// pictures names the folder for what [Desktop.Picture] takes.
const pictures = "SVC_E2E_PICTURES"

// Picture writes what is on the screen now to a PNG file of this name, for people to
// look at, if a folder for that is named.
func (d *Desktop) Picture(name string) {
	d.t.Helper()
	if folder := os.Getenv(pictures); folder != "" {
		<-time.After(quiet) // people see the end of what is shown
		d.Save(filepath.Join(folder, name+".png"), d.Screen())
	}
}

// Part returns what a part of the screen shows.
func (s *Screen) Part(part image.Rectangle) *Screen {
	return &Screen{s.SubImage(part).(*image.RGBA)}
}

// Same reports whether a part of two screens shows the same.
func (s *Screen) Same(other *Screen, part image.Rectangle) bool {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		from, to := s.PixOffset(part.Min.X, y), s.PixOffset(part.Max.X, y)
		if string(s.Pix[from:to]) != string(other.Pix[from:to]) {
			return false
		}
	}
	return true
}

// Colors counts the colours in a part of the screen.
func (s *Screen) Colors(part image.Rectangle) int {
	seen := map[color.RGBA]bool{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			seen[s.RGBAAt(x, y)] = true
		}
	}
	return len(seen)
}

// near is how far a shade may be from the colour that is meant, in each of the three:
// edges are smoothed.
const near = 6

// Count counts the pixels in a part of the screen that have a colour, such as 0x4C8DFF,
// or nearly so.
func (s *Screen) Count(part image.Rectangle, rgb uint32) int {
	want := color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb)}
	n := 0
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			c := s.RGBAAt(x, y)
			if apart(c.R, want.R) <= near && apart(c.G, want.G) <= near && apart(c.B, want.B) <= near {
				n++
			}
		}
	}
	return n
}

// Where returns the smallest rectangle that holds all pixels in a part of the screen
// that have exactly a colour; an empty one if none has.
func (s *Screen) Where(part image.Rectangle, rgb uint32) (found image.Rectangle) {
	want := color.RGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 0xFF}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if s.RGBAAt(x, y) == want {
				found = found.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return found
}

func apart(a, b uint8) int { return max(int(a), int(b)) - min(int(a), int(b)) }

// screen is how Xvfb takes a size.
func screen(width, height int) string { return fmt.Sprintf("%dx%dx24", width, height) }

// decode reads a dump of a window (X11/XWDFile.h), of the kind that Xvfb keeps: 32 bits
// for a pixel, blue first.
func decode(file []byte) (*Screen, error) {
	const fields = 25
	if len(file) < 4*fields {
		return nil, fmt.Errorf("no dump of a window: %d bytes", len(file))
	}
	field := func(i int) int { return int(binary.BigEndian.Uint32(file[4*i:])) }
	header, width, height, bits, stride, colors := field(0), field(4), field(5), field(11), field(12), field(19)
	const perColor = 12
	pixels := header + colors*perColor
	if bits != 32 || len(file) < pixels+stride*height {
		return nil, fmt.Errorf("a dump of %d×%d with %d bits for a pixel and %d bytes", width, height, bits, len(file))
	}
	s := &Screen{image.NewRGBA(image.Rect(0, 0, width, height))}
	for y := range height {
		from, to := file[pixels+y*stride:], s.Pix[y*s.Stride:]
		for x := range width {
			to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = from[4*x+2], from[4*x+1], from[4*x], 0xFF
		}
	}
	return s, nil
}
