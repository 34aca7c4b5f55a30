package runlog

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/svcflow/svc/store/internal/runtext"

	"github.com/svcflow/svc/engine/run"
)

// startLine returns the line that the run begins with: its summary, a tabulator, of which
// JSON has none, and its inputs.
func startLine(t *runtext.StartText, name string) *line {
	data := append(t.Summary.Append(make([]byte, 0, runtext.SummaryRoom+len(t.Inputs.Data))), '\t')
	about := run.Frame{Holes: slices.Clone(t.Inputs.Holes)}
	for i := range about.Holes {
		about.Holes[i].At += len(data)
	}
	return &line{run: t.Summary.RunID, name: name, about: runtext.About(&about), data: append(data, t.Inputs.Data...)}
}

// readStart reads what such a line holds.
func readStart(l *line) (*runtext.StartText, error) {
	summary, rest, ok := bytes.Cut(l.data, []byte{'\t'})
	t := &runtext.StartText{}
	var err error
	if t.Summary, err = runtext.ReadSummary(summary); err != nil || !ok || t.Summary.RunID != l.run {
		return nil, fmt.Errorf("%w of version %d: %.80q", runtext.ErrLine, runtext.LogVersion, l.data)
	}
	about, err := l.frame()
	if err != nil {
		return nil, err
	}
	t.Inputs = run.Frame{Data: rest, Holes: about.Holes}
	for i := range t.Inputs.Holes {
		if t.Inputs.Holes[i].At -= len(summary) + 1; t.Inputs.Holes[i].At < 0 {
			return nil, runtext.ErrLine
		}
	}
	return t, nil
}

// frame returns the frame that a line holds.
func (l *line) frame() (run.Frame, error) { return runtext.FrameOf(l.seq, l.name, l.about, l.data) }
