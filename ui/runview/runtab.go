package runview

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/internal/link"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/wording"
)

// RunTab is what the next run is started with, and how the present one goes: its
// state, why it failed, which nodes are tried again and what they have said. Its zero
// value is not usable; see [NewRunTab].
type RunTab struct {
	// Label returns the name of the node at a path ("loop/fmt"). If it is nil or returns "",
	// the id is shown.
	Label func(path string) string
	// Attempts returns the maximum number of attempts of the node at a path. It may be nil; 0
	// means unknown.
	Attempts func(path string) int
	// OnShow is called with the path of a node that the user wants to see. It may be nil.
	OnShow func(path string)
	// Copy copies a text to the clipboard.
	Copy func(text string)

	run      *record.Recorder
	shown    int
	shape    string // a key of the room that the parts need
	form     *form
	status   *kit.Text
	reason   *widget.Label
	show     *link.Link
	copyID   *link.Link
	failure  *fyne.Container
	retries  *fyne.Container
	messages []record.Message
	list     *kit.LongList
	log      *fyne.Container
	whole    *fyne.Container
	page     *fyne.Container // whole, and room around it
}

// NewRunTab returns the tab of a workflow without inputs that has not run.
func NewRunTab() *RunTab {
	t := &RunTab{form: newForm(), retries: kit.Column(2)}
	t.status = kit.NewText("", kit.Style{Bold: true, Cut: true})
	t.copyID = link.New(lang.L("Copy run id"), func() {
		if t.run != nil && t.Copy != nil {
			t.Copy(t.run.RunID)
		}
	})
	t.reason = widget.NewLabel("")
	t.reason.Wrapping = fyne.TextWrapWord
	t.reason.Selectable = true
	t.show = link.New(lang.L("Show node"), t.showFailed)
	t.failure = container.New(layout.NewCustomPaddedLayout(-6, 0, -8, 0), kit.Column(-4, t.reason, container.NewHBox(t.show)))
	t.list = kit.NewLongList(
		func() int { return len(t.messages) },
		func() fyne.CanvasObject { return newMessageRow() },
		func(i widget.ListItemID, o fyne.CanvasObject) { t.fillMessage(&t.messages[i], o.(*messageRow)) },
	)
	t.list.HideSeparators = true
	t.list.OnSelected = func(i widget.ListItemID) {
		t.list.Unselect(i)
		t.showPath(t.messages[i].Path.Node())
	}
	t.log = container.NewBorder(kit.Pad(8, 0, kit.NewText(lang.L("Progress"), kit.Style{Size: kit.Secondary, Ink: kit.Dim, Bold: true})), nil, nil, nil, t.list)
	head := kit.Column(4, container.NewBorder(nil, nil, nil, t.copyID, t.status), t.failure, t.retries)
	t.whole = container.New(runTabLayout{}, head, container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 0, barRoom), t.form.object())), t.log)
	t.page = container.New(layout.NewCustomPaddedLayout(12, 12, 16, 16-barRoom), t.whole)
	t.refresh()
	return t
}

// Object returns the tab's canvas object.
func (t *RunTab) Object() fyne.CanvasObject { return t.page }

// SetInputs sets the inputs of the workflow. Typed values stay with the names of their
// inputs.
func (t *RunTab) SetInputs(ports []node.Port) {
	if t.form.setPorts(ports) {
		t.whole.Refresh()
	}
}

// Typed are the texts in the fields for inputs. The zero Typed has none.
type Typed struct{ inputs map[string]*input }

// Typed returns the texts in the fields, to be restored later.
func (t *RunTab) Typed() Typed { return Typed{t.form.inputs} }

// SetTyped restores the values typed for another workflow. Call [RunTab.SetInputs] with its
// inputs next.
func (t *RunTab) SetTyped(typed Typed) {
	t.form.setInputs(typed.inputs)
	t.whole.Refresh()
}

// Inputs returns the values for the next run, without inputs whose fields are empty. The
// error names the inputs with wrong values; their fields say why.
func (t *RunTab) Inputs() (map[string]any, error) {
	values, err := t.form.values()
	t.whole.Refresh()
	return values, err
}

// FocusInputs focuses the first field with an error, or else the first one.
func (t *RunTab) FocusInputs(on fyne.Canvas) { t.form.focus(on) }

// Update shows the present state of the run; nil is no run.
func (t *RunTab) Update(r *record.Recorder) {
	if r != nil && r == t.run && r.Revision() == t.shown && !r.Running() {
		return
	}
	t.run = r
	if r != nil {
		t.shown = r.Revision()
	}
	t.refresh()
}

func (t *RunTab) refresh() {
	r := t.run
	idle := r == nil || r.Status == engine.StatusPending
	if idle {
		r = record.New()
	}
	t.fillStatus(r, idle)
	t.fillRetries(r)
	t.setMessages(r.Messages())
	// Most updates change only a few letters. They need no new layout of the fields.
	if shape := t.shapeOf(r); shape != t.shape {
		t.shape = shape
		t.whole.Refresh()
	}
}

// shapeOf returns a key that changes with the room that the parts need.
func (t *RunTab) shapeOf(r *record.Recorder) string {
	waiting := 0
	for _, o := range t.retries.Objects {
		if o.Visible() {
			waiting++
		}
	}
	return fmt.Sprint(t.failure.Hidden, t.reason.Text, t.show.Hidden, t.copyID.Hidden, waiting, t.log.Hidden, r.Status)
}

// fillStatus shows the state of the run, and why it failed.
func (t *RunTab) fillStatus(r *record.Recorder, idle bool) {
	t.copyID.Hidden = r.RunID == "" || t.Copy == nil
	t.failure.Hidden = r.Error == nil
	if idle {
		t.status.SetStyle(kit.Style{Ink: kit.Dim, Cut: true})
		t.status.SetText(lang.L("Not run yet"))
		return
	}
	t.status.SetStyle(kit.Style{Bold: true, Cut: true, Ink: statusInk(r.Status)})
	t.status.SetText(statusWord(r.Status) + " · " + Duration(r.Duration()))
	if r.Error != nil {
		t.reason.SetText(reasonOf(r.Error))
		t.show.Hidden = r.Error.NodeID == "" || t.OnShow == nil
		t.show.SetText(lang.L("Show {{.Node}}", map[string]any{"Node": labelOf(t.Label, r.Error.NodeID)}))
	}
}

func reasonOf(f *engine.Failure) string {
	if f.Code == "" {
		return wording.Of(f.Message)
	}
	return wording.Of(f.Message) + " (" + f.Code + ")"
}

// setMessages shows the messages of nodes, and scrolls to the end if the end was visible.
func (t *RunTab) setMessages(messages []record.Message) {
	t.log.Hidden = len(messages) == 0
	if len(messages) == len(t.messages) && (len(messages) == 0 || messages[len(messages)-1] == t.messages[len(messages)-1]) {
		t.messages = messages
		return
	}
	t.messages = messages
	t.list.Refresh()
	t.list.ScrollToBottom()
}

func (t *RunTab) fillMessage(m *record.Message, row *messageRow) {
	row.set(Duration(max(m.Time.Sub(t.run.Started), 0)), labelOf(t.Label, m.Path.Node()), wording.Of(m.Text))
}

// fillRetries shows which nodes wait for another attempt.
func (t *RunTab) fillRetries(r *record.Recorder) {
	const most = 3
	var waiting []*fold.Node
	for _, n := range r.Rows() {
		if n.Retry() != nil && len(waiting) < most {
			waiting = append(waiting, n)
		}
	}
	for len(t.retries.Objects) < len(waiting) {
		t.retries.Add(kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Running, Cut: true}))
	}
	for i, o := range t.retries.Objects {
		if i < len(waiting) {
			o.(*kit.Text).SetText(t.retryText(waiting[i]))
			o.Show()
		} else {
			o.Hide()
		}
	}
}

// retryText describes a node's next attempt, "Like: attempt 2 of 3, next in 400 ms", and
// after the pause only the attempt.
func (t *RunTab) retryText(n *fold.Node) string {
	retry := n.Retry()
	left := retry.At.Sub(t.run.Now())
	data := map[string]any{"Node": labelOf(t.Label, n.Name), "Attempt": retry.Attempt, "Time": Duration(left)}
	all := 0
	if t.Attempts != nil {
		all = t.Attempts(n.Name)
		data["Attempts"] = all
	}
	switch {
	case all > 0 && left > 0:
		return lang.L("{{.Node}}: attempt {{.Attempt}} of {{.Attempts}}, next in {{.Time}}", data)
	case all > 0:
		return lang.L("{{.Node}}: attempt {{.Attempt}} of {{.Attempts}}", data)
	case left > 0:
		return lang.L("{{.Node}}: attempt {{.Attempt}}, next in {{.Time}}", data)
	}
	return lang.L("{{.Node}}: attempt {{.Attempt}}", data)
}

func (t *RunTab) showFailed() {
	if t.run != nil && t.run.Error != nil {
		t.showPath(t.run.Error.NodeID)
	}
}

func (t *RunTab) showPath(path string) {
	if t.OnShow != nil && path != "" {
		t.OnShow(path)
	}
}
