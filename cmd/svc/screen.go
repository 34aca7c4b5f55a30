package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"

	"github.com/svcflow/svc/engine"
)

// screen shows a run on a terminal: the nodes that ended as lines that scroll
// away, and below them, in a region that is redrawn, those that are running.
type screen struct {
	out   io.Writer
	width func() int // of the terminal, in cells
	stop  chan struct{}
	ended chan struct{} // closed when the drawing goroutine has returned

	mu      sync.Mutex // guards all below
	nested  nested
	lines   []string   // not on the screen yet
	running []*working // in the order they started
	drawn   int        // lines of the region that are on the screen
	frames  int
}

// working is a node that is running.
type working struct {
	id      string
	since   time.Time
	note    string // its last progress
	retries int
}

// The look of the region.
const (
	frameTime  = 100 * time.Millisecond
	maxWorking = 8 // lines

	green, red, grey, plain = "\x1b[32m", "\x1b[31m", "\x1b[90m", "\x1b[0m"
)

// newScreen begins to draw. The caller has to close it.
func newScreen(out io.Writer, width func() int) *screen {
	s := &screen{out: out, width: width, stop: make(chan struct{}), ended: make(chan struct{})}
	go s.draw()
	return s
}

// close draws for the last time, without the region.
func (s *screen) close() {
	close(s.stop)
	<-s.ended
}

func (s *screen) draw() {
	defer close(s.ended)
	ticker := time.NewTicker(frameTime)
	defer ticker.Stop()
	for {
		select {
		case now := <-ticker.C:
			s.frame(now)
		case <-s.stop:
			s.mu.Lock()
			s.running = nil
			s.mu.Unlock()
			s.frame(time.Now())
			return
		}
	}
}

// observe takes an event of the run.
func (s *screen) observe(e engine.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nested.note(&e) || e.NodeID == "" {
		return
	}
	switch e.Name {
	case engine.EventStarted:
		s.running = append(s.running, &working{id: e.NodeID, since: e.Time})
	case engine.EventProgress:
		s.progress(&e)
	case engine.EventNode:
		s.forget(e.NodeID)
		s.lines = append(s.lines, eventText(&e, s.nested.of(e.NodeID)))
	}
}

// progress notes what a running node says of itself.
func (s *screen) progress(e *engine.Event) {
	for _, w := range s.running {
		if w.id != e.NodeID {
			continue
		}
		switch {
		case e.Error != nil:
			w.retries++
			w.note = "again in " + duration(e.RetryIn) + ": " + failureText(e.Error)
		case e.Total > 0:
			w.note = strings.TrimSpace(fmt.Sprintf("%d/%d %s", e.Step, e.Total, e.Message))
		case e.Step > 0:
			w.note = strings.TrimSpace(fmt.Sprintf("%d %s", e.Step, e.Message))
		default:
			w.note = e.Message
		}
	}
}

func (s *screen) forget(id string) {
	for i, w := range s.running {
		if w.id == id {
			s.running = append(s.running[:i], s.running[i+1:]...)
			return
		}
	}
}

// frame draws what is new, and the region anew, in one write.
func (s *screen) frame(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.lines) == 0 && len(s.running) == 0 && s.drawn == 0 {
		return
	}
	width := s.width() - 1 // a line that fills the last cell may wrap
	var b strings.Builder
	if s.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", s.drawn) // up
	}
	b.WriteString("\r\x1b[J") // clear to the end
	for _, line := range s.lines {
		b.WriteString(coloured(cut(line, width)) + "\n")
	}
	region := s.region(now)
	for _, line := range region {
		b.WriteString(cut(line, width) + "\n")
	}
	s.lines, s.drawn = nil, len(region)
	s.frames++
	_, _ = io.WriteString(s.out, b.String()) // a run does not fail because nobody can watch it
}

// region returns a line for each running node, as far as there is room.
func (s *screen) region(now time.Time) []string {
	spinner := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}
	var lines []string
	for i, w := range s.running {
		if i == maxWorking {
			lines = append(lines, fmt.Sprintf("  and %d more", len(s.running)-i))
			break
		}
		parts := []string{spinner[s.frames%len(spinner)] + " " + oneLine(w.id), duration(now.Sub(w.since).Truncate(frameTime))}
		if w.retries > 0 {
			parts = append(parts, fmt.Sprintf("retry %d", w.retries))
		}
		if text := s.nested.of(w.id).String(); text != "" {
			parts = append(parts, text)
		}
		lines = append(lines, strings.Join(append(parts, oneLine(w.note)), "  "))
	}
	return lines
}

// cut shortens line to width cells.
func cut(line string, width int) string {
	if uniseg.StringWidth(line) <= width {
		return line
	}
	var b strings.Builder
	for g := uniseg.NewGraphemes(line); g.Next() && g.Width() < width; width -= g.Width() {
		b.WriteString(g.Str())
	}
	return b.String() + "…"
}

// coloured colours the symbol before a line.
func coloured(line string) string {
	for _, c := range []struct{ symbol, colour string }{
		{symbol(engine.StatusSucceeded), green}, {symbol(engine.StatusFailed), red}, {symbol(engine.StatusSkipped), grey},
	} {
		if rest, ok := strings.CutPrefix(line, c.symbol+" "); ok {
			return c.colour + c.symbol + plain + " " + rest
		}
	}
	return line
}
