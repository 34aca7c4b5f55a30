package runview

import (
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/record"
)

// Timeline shows when the nodes of a run were running: a bar for each, in order of
// start. The zero value is not usable; see [NewTimeline].
type Timeline struct {
	// Label returns the name of the node at a path ("loop/fmt"). If it is nil or returns "",
	// the id is shown.
	Label func(path string) string
	// OnShow is called with the path of the node whose row was chosen. It may be nil.
	OnShow func(path string)

	run   *record.Recorder
	shown int // the revision that is shown
	rows  []*fold.Node
	list  *kit.LongList
	empty *kit.Text
	whole *fyne.Container
}

// NewTimeline returns an empty timeline.
func NewTimeline() *Timeline {
	t := &Timeline{empty: kit.NewText(lang.L("Run the workflow to see when its nodes ran."), kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter})}
	t.list = kit.NewLongList(
		func() int { return len(t.rows) },
		func() fyne.CanvasObject { return newTimelineRow() },
		func(i widget.ListItemID, o fyne.CanvasObject) { o.(*timelineRow).set(t.barOf(t.rows[i])) },
	)
	t.list.HideSeparators = true
	t.list.OnSelected = t.choose
	t.whole = container.NewStack(kit.Pad(6, 8, t.list), t.empty)
	t.Update(nil)
	return t
}

// Object returns the timeline's canvas object.
func (t *Timeline) Object() fyne.CanvasObject { return t.whole }

// Update shows the present state of the run; nil is no run. It costs nothing if the run has
// not changed.
func (t *Timeline) Update(r *record.Recorder) {
	if r != nil && r == t.run && r.Revision() == t.shown && !r.Running() {
		return
	}
	if r != t.run {
		t.list.ScrollToTop()
	}
	t.run, t.rows = r, nil
	if r != nil {
		t.shown, t.rows = r.Revision(), r.Rows()
	}
	t.empty.Hidden = len(t.rows) > 0
	t.list.Hidden = len(t.rows) == 0
	t.whole.Refresh()
}

func (t *Timeline) choose(i widget.ListItemID) {
	t.list.Unselect(i) // so that the row can be chosen again
	if i < len(t.rows) && t.OnShow != nil {
		t.OnShow(t.rows[i].Name)
	}
}

// barOf returns the bar of a node.
func (t *Timeline) barOf(n *fold.Node) bar {
	b := bar{label: t.label(n.Name), depth: n.Depth, status: n.State()}
	if rounds := n.Rounds(); rounds > 0 {
		b.label += " (" + strconv.Itoa(rounds) + ")"
	}
	if n.Started.IsZero() || b.status == engine.StatusSkipped {
		b.hidden = true
		b.note = statusWord(b.status)
		return b
	}
	end := n.Ended
	if len(n.Running) > 0 || end.IsZero() {
		end = t.run.Now()
	}
	b.from = t.share(float64(n.Started.Sub(t.run.Started)))
	b.to = t.share(float64(end.Sub(t.run.Started)))
	b.note = Duration(max(end.Sub(n.Started), 0))
	if n.Done == 1 && len(n.Running) == 0 {
		b.note = Duration(n.Last.Duration)
	}
	return b
}

// share returns a time since the start as a fraction of the run.
func (t *Timeline) share(since float64) float32 {
	whole := float64(t.run.Duration())
	if whole <= 0 {
		return 0
	}
	return float32(min(max(since/whole, 0), 1))
}

func (t *Timeline) label(path string) string { return labelOf(t.Label, path) }

// labelOf returns the label of a node, or its id if it has none.
func labelOf(label func(path string) string, path string) string {
	if label != nil {
		if name := label(path); name != "" {
			return name
		}
	}
	_, id := fold.Split(path)
	return id
}
