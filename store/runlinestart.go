package store

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/run"
)

// startLine returns the line that the run begins with: its summary, a tabulator, of which
// JSON has none, and its inputs.
func startLine(t *startText, name string) *line {
	data := append(t.summary.append(make([]byte, 0, summaryRoom+len(t.inputs.Data))), '\t')
	about := run.Frame{Holes: slices.Clone(t.inputs.Holes)}
	for i := range about.Holes {
		about.Holes[i].At += len(data)
	}
	return &line{run: t.summary.RunID, name: name, about: AboutFrame(&about), data: append(data, t.inputs.Data...)}
}

// readStart reads what such a line holds.
func readStart(l *line) (*startText, error) {
	summary, rest, ok := bytes.Cut(l.data, []byte{'\t'})
	t := &startText{}
	var err error
	if t.summary, err = readSummary(summary); err != nil || !ok || t.summary.RunID != l.run {
		return nil, fmt.Errorf("%w of version %d: %.80q", errLine, logVersion, l.data)
	}
	about, err := l.frame()
	if err != nil {
		return nil, err
	}
	t.inputs = run.Frame{Data: rest, Holes: about.Holes}
	for i := range t.inputs.Holes {
		if t.inputs.Holes[i].At -= len(summary) + 1; t.inputs.Holes[i].At < 0 {
			return nil, errLine
		}
	}
	return t, nil
}

// frame returns the frame that a line holds.
func (l *line) frame() (run.Frame, error) { return FrameOf(l.seq, l.name, l.about, l.data) }
