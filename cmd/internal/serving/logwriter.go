package serving

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
)

// The limits of a log whose reader is slow.
const (
	logLines = 1000                   // lines that wait to be written
	logWait  = 100 * time.Millisecond // how long the first line waits when there are more
	logFlush = time.Second            // how long the end waits for lines that are not written yet
)

// logWriter writes to a pipe or a terminal that may stall or be closed. It never holds its
// callers up for long: when lines cannot be written, it drops and counts them. Make one with
// newLogWriter. Each Write is a line.
type logWriter struct {
	to      io.Writer
	lines   chan []byte
	written chan struct{} // closed when all lines are written or dropped
	stalled atomic.Bool   // no line was written since one was dropped
	dropped atomic.Int64
}

func newLogWriter(to io.Writer) *logWriter {
	w := &logWriter{to: to, lines: make(chan []byte, logLines), written: make(chan struct{})}
	go w.run()
	return w
}

// Write implements [io.Writer]. It never fails.
func (w *logWriter) Write(line []byte) (int, error) {
	kept := slices.Clone(line)
	select {
	case w.lines <- kept:
		return len(line), nil
	default:
	}
	if w.stalled.Load() {
		w.dropped.Add(1)
		return len(line), nil
	}
	timer := time.NewTimer(logWait)
	defer timer.Stop()
	select {
	case w.lines <- kept:
	case <-timer.C:
		w.stalled.Store(true)
		w.dropped.Add(1)
	}
	return len(line), nil
}

// run writes the lines. Where the log has gaps, it says how many lines are missing.
func (w *logWriter) run() {
	defer close(w.written)
	var told int64
	for line := range w.lines {
		if n := w.dropped.Load(); n > told {
			if _, err := fmt.Fprintf(w.to, "%d lines of the log were dropped, as nobody read them\n", n-told); err == nil {
				told = n
			}
		}
		if _, err := w.to.Write(line); err != nil {
			w.dropped.Add(1)
			continue
		}
		w.stalled.Store(false)
	}
}

// close writes the lines that wait, as far as that is possible within a second. No Write may
// follow.
func (w *logWriter) close() {
	close(w.lines)
	select {
	case <-w.written:
	case <-time.After(logFlush):
	}
}

// Buffered returns p with a log that never holds it up, until done is called: see logWriter.
// A reader that is gone does not end the process by SIGPIPE either.
func (p *Process) Buffered() (buffered *Process, done func()) {
	if _, already := p.Stderr.(*logWriter); already {
		return p, func() {}
	}
	w, own := newLogWriter(p.Stderr), *p
	own.Stderr, own.dropped = w, &w.dropped
	broken := make(chan os.Signal, 1) // with a receiver, writing to a broken pipe is only an error
	signal.Notify(broken, syscall.SIGPIPE)
	return &own, func() {
		w.close()
		signal.Stop(broken)
	}
}

// lostLines returns how many lines of the log were dropped.
func (p *Process) lostLines() int64 {
	if p.dropped == nil {
		return 0
	}
	return p.dropped.Load()
}
