package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/svcflow/svc/engine"
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
	out    io.Writer
	nested nested
}

func (l *transcript) observe(e engine.Event) {
	if l.nested.note(&e) {
		return
	}
	if text := eventText(&e, l.nested.of(e.NodeID)); text != "" {
		_, _ = io.WriteString(l.out, text+"\n") // a run does not fail because nobody can watch it
	}
}

// nested counts the nodes that ended inside of containers, which are too many to
// be shown one by one. The zero value is ready for use.
type nested struct{ byContainer map[string]*inside }

type inside struct{ ended, failed int }

// note counts what e tells about a node inside a container, and reports whether
// it does.
func (n *nested) note(e *engine.Event) bool {
	container, _, ok := strings.Cut(e.NodeID, "/")
	if !ok {
		return false
	}
	if e.Name != engine.EventNode {
		return true
	}
	if n.byContainer == nil {
		n.byContainer = map[string]*inside{}
	}
	c := n.byContainer[container]
	if c == nil {
		c = &inside{}
		n.byContainer[container] = c
	}
	c.ended++
	if e.Status == engine.StatusFailed {
		c.failed++
	}
	return true
}

// of returns what is known of a container.
func (n *nested) of(container string) inside {
	if c := n.byContainer[container]; c != nil {
		return *c
	}
	return inside{}
}
