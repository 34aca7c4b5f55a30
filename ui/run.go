package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/session"
)

// shown is the run that the canvas and the panels show.
type shown struct {
	place  Place // where it went on
	id     string
	record *record.Recorder
	run    *session.Run // nil for a past one
	going  bool
	// past is the canvas of a past run, which shows what was run then; nil for a run of
	// the document that is open.
	past *board.Board
}

// startRun runs the document that is open.
func (w *Window) startRun() {
	if w.desk != nil && w.past() == nil {
		w.launch(w.desk.doc.Definition())
	}
}

// startRunTo runs what leads to the selected nodes, and them.
func (w *Window) startRunTo() {
	w.do(func() error {
		part, err := w.desk.doc.UpTo(w.desk.board.Selection.Set().Nodes...)
		if err == nil {
			w.launch(part)
		}
		return err
	})
}

// launch runs a workflow at the place and follows the run.
func (w *Window) launch(def *workflow.Definition) {
	inputs, err := w.runTab.Inputs()
	if err != nil {
		w.showSide(tabRun)
		w.runTab.FocusInputs(w.win.Canvas())
		w.complain(err)
		return
	}
	place := w.place
	w.follow(place, func(ctx context.Context) (string, error) {
		return place.Backend.Start(ctx, def, run.Request{Inputs: inputs})
	})
}

// follow shows a run of the document while it goes on.
func (w *Window) follow(place Place, start func(context.Context) (string, error)) {
	w.forgetRun()
	s := &shown{place: place, record: record.New(), going: true}
	w.shown, w.desk.board.Run = s, s.record.State
	w.status.tell("", false)
	s.run = session.Follow(place.Backend, session.Feed{
		Post:    fyne.Do,
		Started: func(id string) { s.id = id },
		Events:  func(events []engine.Event) { w.runHasGoneOn(s, events) },
		Ended:   func(err error) { w.runHasEnded(s, err) },
	}, start)
	w.panels.SetBottomVisible(true)
	w.ticking(true)
	w.refresh()
}

func (w *Window) runHasGoneOn(s *shown, events []engine.Event) {
	s.record.Apply(events)
	if w.shown == s {
		w.canvas.Update()
		w.refreshRun()
	}
}

func (w *Window) runHasEnded(s *shown, err error) {
	s.going = false
	if w.shown != s {
		return
	}
	w.ticking(false)
	w.history.Reload()
	w.refresh()
	if err != nil {
		w.desk.board.Run = nil
		w.complain(err)
		return
	}
	if failed := s.record.Error; failed != nil && s.record.Status == engine.StatusFailed {
		w.status.tell(failed.Message, true)
	}
}

// cancelRun ends the run that goes on.
func (w *Window) cancelRun() {
	s := w.shown
	if s == nil || !s.going {
		return
	}
	w.later(lang.L("Cancelling…"), func(ctx context.Context) (func(), error) { return nil, s.run.Cancel(ctx) })
}

// forgetRun stops showing a run. It goes on where it is.
func (w *Window) forgetRun() {
	if w.shown == nil {
		return
	}
	if shown := w.shown.run; shown != nil {
		shown.Close()
		w.jobs.Go(shown.Wait)
	}
	if w.shown.past != nil && w.desk != nil {
		w.canvas.SetBoard(w.desk.board)
	}
	if w.desk != nil {
		w.desk.board.Run = nil
	}
	w.shown = nil
	w.ticking(false)
}

// openRun shows a run of the history: what it ran and what came of it, which cannot be
// changed. One of the document that goes on is followed.
func (w *Window) openRun(r run.Record) {
	place := w.place
	w.later(lang.L("Opening the run…"), func(ctx context.Context) (func(), error) {
		def, err := place.Backend.RunWorkflow(ctx, r.RunID)
		if err != nil {
			return nil, err
		}
		whole, err := place.Backend.Run(ctx, r.RunID)
		if err != nil {
			return nil, err
		}
		return func() { w.showPast(place, def, whole) }, nil
	})
}

func (w *Window) showPast(place Place, def *workflow.Definition, r run.Record) {
	w.forgetRun()
	if w.desk == nil { // nothing was open: there is a draft to go back to in any case
		w.edits(blank(), documents.Origin{})
	}
	size := w.canvas.Size()
	board := board.New(doc.New(def, w.specs), float64(size.Width), float64(size.Height))
	board.ReadOnly = true
	s := &shown{place: place, id: r.RunID, past: board}
	w.shown = s
	if r.Result != nil {
		s.record = record.Past(r.Result)
	} else { // it goes on: catch up with it
		s.record, s.going = record.New(), true
		s.run = session.Follow(place.Backend, session.Feed{
			Post:    fyne.Do,
			Started: func(string) {},
			Events:  func(events []engine.Event) { w.runHasGoneOn(s, events) },
			Ended:   func(err error) { w.runHasEnded(s, err) },
		}, func(context.Context) (string, error) { return r.RunID, nil })
		w.ticking(true)
	}
	board.Run = s.record.State
	w.canvas.SetBoard(board)
	w.showCanvas()
	w.panels.SetBottomVisible(true)
	w.refresh()
}

// leavePast goes back from a past run to the document.
func (w *Window) leavePast() {
	if w.past() != nil {
		w.forgetRun()
		w.refresh()
	}
}

// past returns the canvas of the past run that is shown, or nil.
func (w *Window) past() *board.Board {
	if w.shown == nil {
		return nil
	}
	return w.shown.past
}

// running reports whether the run that is shown goes on.
func (w *Window) running() bool { return w.shown != nil && w.shown.going }

// tickEvery is how often what only time changes is shown anew while a run goes on.
const tickEvery = time.Second / 10

// ticking has the panels follow the clock, or not.
func (w *Window) ticking(on bool) {
	if !on {
		if w.clock != nil {
			w.clock()
			w.clock = nil
		}
		return
	}
	if w.clock != nil {
		return
	}
	ctx, cancel := context.WithCancel(w.ctx)
	w.clock = cancel
	w.jobs.Go(func() {
		ticker := time.NewTicker(tickEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				fyne.Do(func() {
					if ctx.Err() == nil {
						w.refreshClock()
					}
				})
			}
		}
	})
}
