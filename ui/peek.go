package ui

import (
	"math"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/runview/record"
)

// peeked is what was told of a port last: the canvas asks whenever it is drawn.
type peeked struct {
	run      *record.Recorder
	revision [2]int // of the run and of the document
	doc      *doc.Document
	port     cards.PortRef
	lines    []string
}

// peek tells in a few lines what went through a port in the run that is shown.
func (v *views) peek(ref cards.PortRef) []string {
	run, b := v.runs.Shown(), v.board()
	if run == nil || b == nil {
		return nil
	}
	now := peeked{run: run.Record, revision: [2]int{run.Record.Revision(), b.Document().Revision()}, doc: b.Document(), port: ref}
	if p := &v.peeked; p.run != now.run || p.revision != now.revision || p.doc != now.doc || p.port != now.port {
		now.lines = v.throughPort(ref).Lines()
		v.peeked = now
	}
	return v.peeked.lines
}

func (v *views) throughPort(ref cards.PortRef) runview.Through {
	run, b := v.runs.Shown(), v.board()
	if run == nil || b == nil {
		return runview.Through{}
	}
	subject, ok := runview.SubjectOf(b.Document(), ref.Node)
	if !ok {
		return runview.Through{}
	}
	return runview.ThroughPort(run.Record, &subject, ref.Port, ref.Output)
}

// through tells what came out of a node of the level that is shown; text returns all of
// it, and is nil if there is none.
func (v *views) through(id, port string) (lines []string, text func() string) {
	t := v.throughPort(cards.PortRef{Node: id, Port: port, Output: true})
	if t.Known {
		text = func() string { return t.Text(math.MaxInt32) }
	}
	return t.Lines(), text
}

// openValue shows what came out of a node in the panel of values.
func (v *views) openValue(id, port string) {
	run, b := v.runs.Shown(), v.board()
	if run == nil || b == nil {
		return
	}
	subject, ok := runview.SubjectOf(b.Document(), id)
	if !ok {
		return
	}
	v.outcome = outcome{run: run.Record, selected: v.selected(), subject: subject}
	v.panels.ShowOutput()
	v.refreshRun()
	v.output.Pick(port)
}
