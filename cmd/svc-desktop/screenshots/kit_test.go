//go:build screenshots && linux

package screenshots_test

import (
	"image"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// open opens a workflow of these tests, with the keyboard at its canvas.
func (s *session) open(name string) *xtest.Program {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(s.t, err)
	path := s.Home(name)
	require.NoError(s.t, os.WriteFile(path, text, 0o600))
	return s.begin(path)
}

// begin opens the program as large as the screen, with the keyboard at its middle.
func (s *session) begin(args ...string) *xtest.Program {
	p := s.Open(args...)
	p.Fill("")
	s.Move(s.Size().Div(2)) // the keyboard belongs to what is under the mouse
	s.Await("a button at the right", func(now *xtest.Screen) bool { return now.Colors(s.at(1370, 36, 1430, 68)) > 4 })
	s.settle()
	return p
}

// at returns a part of the window of 1440 × 900.
func (s *session) at(x0, y0, x1, y1 int) image.Rectangle {
	return image.Rect(x0*s.scale, y0*s.scale, x1*s.scale, y1*s.scale)
}

// settle waits until nothing has changed for long enough to draw twice, on a slow machine.
func (s *session) settle() *xtest.Screen {
	const looks = 3
	last := s.Settled()
	for same := 1; same < looks; same++ {
		now := s.Settled()
		if !now.Same(last, now.Bounds()) {
			same = 0
		}
		last = now
	}
	return last
}

func (s *session) quit(p *xtest.Program) { require.Zero(s.t, p.Stop(), p.Log()) }

// take waits until nothing changes any more and takes a picture.
func (s *session) take(state string) {
	s.Park()
	s.Save(s.name(state), s.settle())
}

// small takes a picture of the smallest window, and makes it as large as before.
func (s *session) small(p *xtest.Program) {
	window := s.at(0, 0, 1024, 640)
	p.Put("", window)
	s.Move(window.Max.Sub(image.Pt(1, 1)))
	s.settle()
	s.press("ctrl+shift+1")
	s.Save(s.name("small"), s.settle().Part(window))
	p.Fill("")
	s.Move(s.Size().Div(2))
	s.settle()
	s.press("ctrl+shift+1")
}

// press presses keys and waits for what they do.
func (s *session) press(keys ...string) {
	for _, key := range keys {
		s.does("what "+key+" does", func() { s.Key(key) }, func(*xtest.Screen) bool { return true })
	}
}

// does waits until the screen is another one and as it should be, and at rest.
func (s *session) does(what string, do func(), so func(*xtest.Screen) bool) {
	before := s.Screen()
	do()
	s.Await(what, func(now *xtest.Screen) bool { return !now.Same(before, now.Bounds()) && so(now) })
	s.settle()
}

// runAll runs the open workflow until the status above the lower panel says that all nodes
// have run.
func (s *session) runAll() {
	before, told := s.settle(), s.at(900, 690, 1105, 722)
	s.does("the end of a run", func() { s.Key("ctrl+Return") }, func(now *xtest.Screen) bool { return s.rests(now) && !now.Same(before, told) })
}

// rests reports whether the window offers to run.
func (s *session) rests(now *xtest.Screen) bool {
	const text = 300 // more than letters have
	return now.Count(s.at(1000, 0, 1440, 72), s.run) > text*s.scale
}

// runs waits for the bar of a running node in the timeline, and then for a canvas that stands
// still.
func (s *session) runs() *xtest.Screen {
	const text, looks = 1000, 5 // more than letters have
	canvas := s.at(240, 110, 1110, 680)
	last := s.Await("a node that runs", func(now *xtest.Screen) bool {
		return !s.rests(now) && now.Count(s.at(240, 720, 1110, 880), s.running) > text*s.scale
	})
	same := 0
	return s.Await("a canvas that stands still", func(now *xtest.Screen) bool {
		if same++; !now.Same(last, canvas) {
			same = 0
		}
		last = now
		return same == looks
	})
}

// compares reports whether the window offers to take over what is compared.
func (s *session) compares(now *xtest.Screen) bool {
	const text = 300 // more than letters have
	return now.Count(s.at(240, 115, 1110, 165), s.run) > text*s.scale
}

// find goes to the node of that name.
func (s *session) find(name string) {
	beside := s.at(620, 80, 960, 100) // the tabs, and below the list
	closed := s.settle()
	s.does("the list of commands", func() { s.Key("ctrl+shift+p") }, func(now *xtest.Screen) bool { return !now.Same(closed, beside) })
	s.does("what is found", func() { s.Type(name) }, func(*xtest.Screen) bool { return true })
	s.does("the node", func() { s.Key("Return") }, func(now *xtest.Screen) bool { return now.Same(closed, beside) })
}
