package runview

import (
	"context"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/internal/link"
	"github.com/svcflow/svc/ui/wording"
)

// History lists runs. It is safe for concurrent use. The texts of its errors say what to do.
type History interface {
	Runs(ctx context.Context, q run.Query) (run.Page, error)
	Run(ctx context.Context, runID string) (run.Record, error)
	Resume(ctx context.Context, runID string, how run.Resumption) (newRunID string, err error)
	Cancel(ctx context.Context, runID string) error
}

// Runs lists the runs of the past and those that go on, the latter first, and then the
// newest. The zero value is not usable; see [NewRuns].
type Runs struct {
	// OnOpen is called with the whole record of a run that the user wants to see on the
	// canvas; OnResumed with the id of the run that continues another. They may be nil.
	OnOpen    func(run.Record)
	OnResumed func(runID string)
	// AskResume asks the user how to resume a run, and calls then unless the user cancels. If
	// it is nil, the run is resumed unchanged.
	AskResume func(at run.Record, then func(run.Resumption))
	// Copy copies a text to the clipboard.
	Copy func(text string)

	history  History
	workflow string
	query    run.Query
	here     bool // only the runs of this workflow
	records  []run.Record
	cursor   string
	loaded   bool
	asked    time.Time // when the first page was last requested
	selected string    // the run that the buttons apply to

	loading, more, acting *job.Latest

	list        *kit.LongList
	buttons     runButtons
	note        *kit.Text
	retry       *link.Link
	notice, bar *fyne.Container
	trouble     *kit.Text
	this        *link.Link
	all         *link.Link
	whole       *fyne.Container
}

// pollPause is how often runs in progress are polled.
const pollPause = 3 * time.Second

// NewRuns returns an empty list. Reload fills it by jobs, and so does Update while the list
// is visible.
func NewRuns(h History, jobs *job.Runner) *Runs {
	r := &Runs{history: h, here: true, loading: jobs.Latest(0), more: jobs.Latest(0), acting: jobs.Latest(0)}
	r.list = kit.NewLongList(
		func() int { return len(r.records) },
		func() fyne.CanvasObject { return newRunRow() },
		func(i widget.ListItemID, o fyne.CanvasObject) {
			o.(*runRow).set(r.records[i], time.Now())
			r.need(i)
		},
	)
	r.list.HideSeparators = true
	r.list.OnSelected = r.choose
	r.note = kit.NewText("", kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter, Cut: true})
	r.retry = link.New(lang.L("Try again"), r.Reload)
	r.notice = kit.Column(4, r.note, container.NewCenter(r.retry))
	r.trouble = kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Error, Cut: true})
	r.whole = container.NewBorder(kit.Pad(2, 12, r.newBar()), kit.Pad(0, 16, r.trouble), nil, nil,
		container.NewStack(kit.Pad(0, 8, r.list), kit.Middle(r.notice)))
	r.show()
	return r
}

// newBar makes the row of filters and buttons.
func (r *Runs) newBar() fyne.CanvasObject {
	r.this = link.New(lang.L("This workflow"), func() { r.filter(true, r.query.Status) })
	r.all = link.New(lang.L("All workflows"), func() { r.filter(false, r.query.Status) })
	status := newStatusFilter(func(s engine.Status) { r.filter(r.here, s) })
	r.buttons = r.newButtons()
	left := kit.Row(2, r.this, r.all, kit.Pad(0, 8, status))
	r.bar = kit.Wrap(left, r.buttons.row)
	return r.bar
}

// Object returns the list's canvas object.
func (r *Runs) Object() fyne.CanvasObject { return r.whole }

// SetWorkflow sets the id of the open workflow.
func (r *Runs) SetWorkflow(id string) {
	if r.workflow != id {
		r.workflow = id
		if r.here {
			r.Reload()
		}
	}
}

// SetHistory shows the runs of another host.
func (r *Runs) SetHistory(h History) {
	r.loading.Stop()
	r.more.Stop()
	r.acting.Stop()
	r.history, r.records, r.loaded = h, nil, false
	r.Reload()
}

// Reload loads the newest runs.
func (r *Runs) Reload() {
	r.more.Stop()
	r.asked = time.Now()
	r.trouble.SetText("")
	r.show()
	query, history := r.first(), r.history
	r.loading.Now(func(ctx context.Context) func() {
		page, err := history.Runs(ctx, query)
		return func() { r.take(page, err) }
	})
}

// Update updates the elapsed times, and polls the runs in progress. The shell calls it while
// the list is visible, as often as it likes.
func (r *Runs) Update() {
	if !r.whole.Visible() {
		return
	}
	running := slices.ContainsFunc(r.records, func(e run.Record) bool { return e.Status == engine.StatusRunning })
	if running {
		r.list.Refresh()
	}
	late := running && time.Since(r.asked) >= pollPause
	if !r.loading.Busy() && (late || r.asked.IsZero()) {
		r.Reload()
	}
}

// first returns the query for the first page.
func (r *Runs) first() run.Query {
	q := r.query
	if r.here {
		q.WorkflowID = r.workflow
	}
	return q
}

func (r *Runs) filter(here bool, s engine.Status) {
	if r.here == here && r.query.Status == s {
		return
	}
	r.here, r.query.Status = here, s
	r.records, r.cursor, r.loaded = nil, "", false
	r.Reload()
}

// take shows the first page. Later pages stay, unless there is a gap between.
func (r *Runs) take(page run.Page, err error) {
	if err != nil {
		r.fail(err)
		return
	}
	known := map[string]bool{}
	for i := range page.Items {
		known[page.Items[i].RunID] = true
	}
	meets := slices.ContainsFunc(r.records, func(e run.Record) bool { return known[e.RunID] })
	rest := slices.DeleteFunc(r.records, func(e run.Record) bool { return known[e.RunID] || e.Status == engine.StatusRunning })
	if !meets || page.NextCursor == "" || len(rest) == 0 {
		rest, r.cursor = nil, page.NextCursor
	}
	r.records = append(slices.Clone(page.Items), rest...)
	r.loaded = true
	r.order()
}

// fail shows why there are no runs, or no newer ones.
func (r *Runs) fail(err error) {
	r.trouble.SetText("")
	if len(r.records) > 0 {
		r.trouble.SetText(wording.Of(err.Error()))
	}
	r.show()
	r.note.SetText(wording.Of(err.Error()))
	r.retry.Show()
	r.notice.Refresh()
}

// order moves the runs in progress to the top.
func (r *Runs) order() {
	going := func(e run.Record) int {
		if e.Status == engine.StatusRunning {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(r.records, func(a, b run.Record) int { return going(a) - going(b) })
	r.show()
}

// need loads the next page when the end of the list comes near.
func (r *Runs) need(i int) {
	const near = 5
	if r.cursor == "" || r.more.Busy() || r.loading.Busy() || i < len(r.records)-near {
		return
	}
	query, history := r.first(), r.history
	query.Cursor = r.cursor
	r.more.Now(func(ctx context.Context) func() {
		page, err := history.Runs(ctx, query)
		return func() { r.takeMore(page, err) }
	})
}

// takeMore shows another page.
func (r *Runs) takeMore(page run.Page, err error) {
	r.cursor = page.NextCursor // none after an error: the user asks again by Refresh
	if err != nil {
		r.trouble.SetText(wording.Of(err.Error()))
		return
	}
	for _, e := range page.Items {
		if !slices.ContainsFunc(r.records, func(known run.Record) bool { return known.RunID == e.RunID }) {
			r.records = append(r.records, e)
		}
	}
	r.order()
}

// choose selects a run for the buttons.
func (r *Runs) choose(i widget.ListItemID) {
	if i < len(r.records) {
		r.selected = r.records[i].RunID
		r.buttons.fit(&r.records[i])
		r.bar.Refresh()
	}
}

// chosen returns the selected run; nil if it is not in the list.
func (r *Runs) chosen() *run.Record {
	i := slices.IndexFunc(r.records, func(e run.Record) bool { return e.RunID == r.selected })
	if i < 0 {
		return nil
	}
	return &r.records[i]
}

// show updates everything after loading.
func (r *Runs) show() {
	r.this.SetChosen(r.here)
	r.all.SetChosen(!r.here)
	r.retry.Hide()
	switch {
	case len(r.records) > 0:
		r.note.SetText("")
	case !r.loaded:
		r.note.SetText(lang.L("Loading …"))
	case r.query.Status != 0:
		r.note.SetText(lang.L("No runs of this kind."))
	default:
		r.note.SetText(lang.L("No runs yet. Runs that you start are listed here."))
	}
	r.notice.Hidden = len(r.records) > 0
	r.list.UnselectAll()
	at := r.chosen()
	if at != nil {
		r.list.Select(slices.IndexFunc(r.records, func(e run.Record) bool { return e.RunID == at.RunID }))
	}
	r.buttons.fit(at)
	r.whole.Refresh()
}
