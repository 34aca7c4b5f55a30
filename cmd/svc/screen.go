package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// screen shows a run on a terminal: the nodes that ended as lines that scroll
// away, and below them, in a region that is redrawn, those that are running.
type screen struct {
	out   io.Writer
	width func() int // of the terminal, in cells
	stop  chan struct{}
	ended chan struct{} // closed when the drawing goroutine has returned

	mu     sync.Mutex // guards all below
	state  fold.State
	lines  []string // not on the screen yet
	over   bool     // nothing is shown as running any more
	drawn  int      // lines of the region that are on the screen
	frames int
}

// Sizes and times of the region.
const (
	frameTime  = 100 * time.Millisecond
	maxWorking = 8 // lines

	green, red, grey, plain = "\x1b[32m", "\x1b[31m", "\x1b[90m", "\x1b[0m"
)

// newScreen starts to draw. The caller must call close.
func newScreen(out io.Writer, width func() int) *screen {
	s := &screen{out: out, width: width, stop: make(chan struct{}), ended: make(chan struct{})}
	go s.draw()
	return s
}

// close stops drawing and removes the region.
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
			s.over = true
			s.mu.Unlock()
			s.frame(time.Now())
			return
		}
	}
}

// observe records an event of the run.
func (s *screen) observe(e engine.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Apply(e)
	if e.Name == engine.EventNode && !fold.Path(e.NodeID).Inside() {
		s.lines = append(s.lines, eventText(&e, &s.state))
	}
}

// frame prints new lines and redraws the region, in one write.
func (s *screen) frame(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	region := s.region(now)
	if len(s.lines) == 0 && len(region) == 0 && s.drawn == 0 {
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
	for _, line := range region {
		b.WriteString(cut(line, width) + "\n")
	}
	s.lines, s.drawn = nil, len(region)
	s.frames++
	_, _ = io.WriteString(s.out, b.String()) // a run does not fail because nobody can watch it
}

// region returns a line for each running node, up to maxWorking.
func (s *screen) region(now time.Time) []string {
	spinner := []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"}[s.frames%10]
	var lines []string
	for _, n := range s.state.Top {
		if len(n.Running) > 0 && !s.over {
			lines = append(lines, spinner+" "+workingText(n, now))
		}
	}
	if more := len(lines) - maxWorking; more > 0 {
		lines = append(lines[:maxWorking], fmt.Sprintf("  and %d more", more))
	}
	return lines
}

// workingText formats a running node.
func workingText(n *fold.Node, now time.Time) string {
	step := n.Under()[0] // a node outside all bodies has one step
	parts := []string{oneLine(n.Name), duration(now.Sub(step.Started).Truncate(frameTime))}
	if step.Attempts > 1 {
		parts = append(parts, fmt.Sprintf("retry %d", step.Attempts-1))
	}
	if text := insideText(n); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(append(parts, oneLine(noteText(n, step))), "  ")
}

// noteText formats the last progress of a node.
func noteText(n *fold.Node, step *fold.Step) string {
	switch {
	case step.Retry != nil:
		return retryText(step.Retry.In, step.Retry.Error)
	case n.Total > 0:
		return strings.TrimSpace(fmt.Sprintf("%d/%d %s", n.Step, n.Total, n.Message))
	case n.Step > 0:
		return strings.TrimSpace(fmt.Sprintf("%d %s", n.Step, n.Message))
	}
	return n.Message
}

// cut shortens a line to width columns.
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

// coloured colours the symbol at the beginning of a line.
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

// progress returns a function that shows the events of a run on standard error, and one that
// ends it.
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

// animates reports whether to use colours and redraw lines on the terminal.
func (h *host) animates() bool {
	_, plain := h.env("NO_COLOR") // https://no-color.org; we also stop redrawing
	kind, _ := h.env("TERM")
	return !plain && kind != "dumb"
}
