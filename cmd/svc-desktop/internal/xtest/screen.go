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

// Screen is the content of the screen at a moment.
type Screen struct{ *image.RGBA }

// Screen returns the present content of the screen, without the pointer of the mouse.
func (d *Desktop) Screen() *Screen {
	d.t.Helper()
	file, err := os.ReadFile(d.frame)
	require.NoError(d.t, err)
	s, err := decode(file)
	require.NoError(d.t, err)
	return s
}

// Await waits until the screen satisfies a condition, and returns it. After a timeout it
// writes the screen to a file and fails.
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

// quiet is how long a settled screen does not change.
const quiet = 400 * time.Millisecond

// Settled waits until the screen no longer changes, and returns it. A blinking cursor is a
// change.
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

// Save writes a screen to a PNG file.
func (d *Desktop) Save(path string, s *Screen) {
	d.t.Helper()
	file, err := os.Create(path)
	require.NoError(d.t, err)
	require.NoError(d.t, png.Encode(file, s))
	require.NoError(d.t, file.Close())
}

// pictures is the environment variable with the folder for [Desktop.Picture].
const pictures = "SVC_E2E_PICTURES"

// Picture writes the screen to a PNG file of this name, for people to look at, if that
// variable is set.
func (d *Desktop) Picture(name string) {
	d.t.Helper()
	if folder := os.Getenv(pictures); folder != "" {
		<-time.After(quiet) // let animations end
		d.Save(filepath.Join(folder, name+".png"), d.Screen())
	}
}

// Part returns a part of the screen.
func (s *Screen) Part(part image.Rectangle) *Screen {
	return &Screen{s.SubImage(part).(*image.RGBA)}
}

// Same reports whether a part of two screens is equal.
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

// near is the tolerance for each component of a colour: edges are smoothed.
const near = 6

// Count counts the pixels in a part of the screen that have a colour, such as 0x4C8DFF,
// within the tolerance.
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

// Where returns the bounds of all pixels in a part of the screen with exactly a colour; empty
// without any.
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

// screen returns a size in the syntax of Xvfb.
func screen(width, height int) string { return fmt.Sprintf("%dx%dx24", width, height) }

// decode decodes a dump of a window (X11/XWDFile.h), as Xvfb writes it: 32 bits per pixel,
// blue first.
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
