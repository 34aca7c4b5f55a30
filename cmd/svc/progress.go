package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// progress returns what shows the events of a run on standard error, and what
// ends that.
func (h *host) progress() (observe func(engine.Event), end func()) {
	if f, ok := h.stderr.(*os.File); ok && h.animates() && term.IsTerminal(int(f.Fd())) {
		s := newScreen(f, func() int {
			width, _, err := term.GetSize(int(f.Fd()))
			if err != nil {
				return 80
			}
			return width
		})
		return s.observe, s.close
	}
	return (&transcript{out: h.stderr}).observe, func() {}
}

// animates reports whether the user wants terminals to be more than paper.
func (h *host) animates() bool {
	_, plain := h.env("NO_COLOR") // https://no-color.org, of which moving text is no less part
	kind, _ := h.env("TERM")
	return !plain && kind != "dumb"
}

// transcript shows a run as lines, one for each node that ended. It is called with one
// event at a time.
type transcript struct {
	out   io.Writer
	state fold.State
}

func (l *transcript) observe(e engine.Event) {
	l.state.Apply(e)
	if text := eventText(&e, &l.state); text != "" {
		_, _ = io.WriteString(l.out, text+"\n") // a run does not fail because nobody can watch it
	}
}
