package runview

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/internal/link"
	"github.com/svcflow/svc/ui/wording"
)

// runButtons are the actions for the selected run.
type runButtons struct {
	open, resume, cancel, copyID, reload *link.Link
	row                                  *fyne.Container
}

func (r *Runs) newButtons() runButtons {
	b := runButtons{
		open:   link.New(lang.L("Show on canvas"), r.open),
		resume: link.New(lang.L("Resume"), r.resume),
		cancel: link.New(lang.L("Cancel run"), r.cancel),
		copyID: link.New(lang.L("Copy run id"), func() {
			if at := r.chosen(); at != nil && r.Copy != nil {
				r.Copy(at.RunID)
			}
		}),
		reload: link.New(lang.L("Refresh"), r.Reload),
	}
	b.row = kit.Row(2, b.open, b.resume, b.cancel, b.copyID, b.reload)
	return b
}

// fit shows the buttons that apply to a run; nil is none.
func (b *runButtons) fit(at *run.Record) {
	b.open.Hidden = at == nil
	b.copyID.Hidden = at == nil
	b.cancel.Hidden = at == nil || at.Status != engine.StatusRunning
	b.resume.Hidden = at == nil || at.Status == engine.StatusRunning
	b.row.Refresh()
}

// open loads the whole record of the run and calls OnOpen.
func (r *Runs) open() {
	act(r, r.history.Run, func(record run.Record) {
		if r.OnOpen != nil {
			r.OnOpen(record)
		}
	})
}

// resume asks the user how, and resumes the run.
func (r *Runs) resume() {
	at := r.chosen()
	if at == nil {
		return
	}
	if r.AskResume == nil {
		r.goOn(run.Resumption{})
		return
	}
	r.AskResume(*at, func(how run.Resumption) {
		if now := r.chosen(); now != nil && now.RunID == at.RunID {
			r.goOn(how)
		}
	})
}

func (r *Runs) goOn(how run.Resumption) {
	act(r, func(ctx context.Context, runID string) (string, error) {
		return r.history.Resume(ctx, runID, how)
	}, func(newRunID string) {
		if r.OnResumed != nil {
			r.OnResumed(newRunID)
		}
		r.Reload()
	})
}

func (r *Runs) cancel() {
	act(r, func(ctx context.Context, runID string) (struct{}, error) {
		return struct{}{}, r.history.Cancel(ctx, runID)
	}, func(struct{}) { r.Reload() })
}

// act does something with the selected run, and shows its error.
func act[T any](r *Runs, do func(ctx context.Context, runID string) (T, error), then func(T)) {
	at := r.chosen()
	if at == nil {
		return
	}
	runID := at.RunID
	r.trouble.SetText("")
	r.acting.Now(func(ctx context.Context) func() {
		result, err := do(ctx, runID)
		return func() {
			if err != nil {
				r.trouble.SetText(wording.Of(err.Error()))
				return
			}
			then(result)
		}
	})
}

// newStatusFilter returns a field that filters runs by status.
func newStatusFilter(choose func(engine.Status)) fyne.CanvasObject {
	names := []string{lang.L("All states"), lang.L("running"), lang.L("completed"), lang.L("failed"), lang.L("cancelled")}
	states := []engine.Status{0, engine.StatusRunning, engine.StatusCompleted, engine.StatusFailed, engine.StatusCancelled}
	field := kit.NewSelect(names, nil)
	field.SetSelectedIndex(0)
	field.OnChanged = func(string) {
		if i := field.SelectedIndex(); i >= 0 {
			choose(states[i])
		}
	}
	return field
}
