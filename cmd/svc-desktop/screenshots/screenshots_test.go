//go:build screenshots && linux

package screenshots_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/built"
	"github.com/svcflow/svc/cmd/internal/docstest"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
)

// TestScreenshots takes the pictures of the documentation; `make screenshots` runs it.
func TestScreenshots(t *testing.T) {
	folder := filepath.Join(docstest.Root(t), "docs", "screenshots")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for theme, colours := range map[string]colours{
		"dark":     {run: 0x4C8DFF, running: 0xE3A008},
		"light":    {run: 0x0A66C2, running: 0xB7791F},
		"contrast": {run: 0x1AEBFF, running: 0xFFFF00},
	} {
		for scale, ending := range map[int]string{1: "", 2: "@2x"} {
			t.Run(theme+ending, func(t *testing.T) {
				begun := func() *session {
					s := newSession(t, theme, scale)
					s.colours, s.name = colours, func(state string) string { return filepath.Join(folder, state+"-"+theme+ending+".png") }
					return s
				}
				english, german := begun(), begun()
				english.starts()
				english.fails()
				english.edits()
				german.speaks()
			})
		}
	}
}

// colours are those of a theme for the button that runs, and for what runs.
type colours struct{ run, running uint32 }

// session is a user with a theme and a scale.
type session struct {
	*xtest.Desktop
	colours

	t     *testing.T
	scale int
	name  func(state string) string // of a picture
}

func newSession(t *testing.T, theme string, scale int) *session {
	t.Helper()
	d := xtest.Start(t, 1440*scale, 900*scale)
	d.Simulators(built.Program(t, "svc-sim"))
	d.Setenv("FYNE_THEME", theme)
	d.Setenv("FYNE_SCALE", strconv.Itoa(scale))
	return &session{Desktop: d, t: t, scale: scale}
}

// starts shows what there is before anything is opened, and what can be.
func (s *session) starts() {
	p := s.begin()
	s.take("start")
	s.quit(p)
}

// fails runs a workflow that takes its time and then fails.
func (s *session) fails() {
	p := s.open("late-report.json")
	s.Key("ctrl+Return")
	s.Park()
	s.Save(s.name("running"), s.runs())
	s.Await("the end of the run", s.rests)
	s.take("failed")
	s.quit(p)
}

// edits works on a workflow that uses two networks, beside the one that failed.
func (s *session) edits() {
	p := s.open("thank-the-fans.json")
	s.runAll()
	s.find("Send a message")
	s.take("editing")
	s.small(p)
	for range 5 {
		s.press("ctrl+minus")
	}
	s.take("zoomed-out")
	s.press("ctrl+shift+1")
	s.find("My profile")
	s.press("ctrl+g")
	s.does("the name of the group", func() { s.Type("Who asks") }, func(*xtest.Screen) bool { return true })
	s.press("F6")
	s.find("How many")
	s.press("Delete")
	s.find("My profile")
	s.press("ctrl+g")
	s.does("the name of the group", func() { s.Type("Who asks") }, func(*xtest.Screen) bool { return true })
	s.press("F6", "ctrl+shift+n")
	s.does("the text of the note", func() { s.Type("Ask Grace first") }, func(*xtest.Screen) bool { return true })
	s.press("F6")
	s.does("what is saved", func() { s.Key("ctrl+shift+k") }, s.compares)
	s.take("compare")
	s.quit(p)
}

// speaks switches to a user whose computer speaks German.
func (s *session) speaks() {
	s.Setenv("LANG", "de_DE.UTF-8")
	s.Setenv("LANGUAGE", "de")
	p := s.open("thank-the-fans.json")
	s.runAll()
	s.find("Popular")
	s.take("german")
	s.quit(p)
}
