package runview

import (
	"context"
	"fmt"
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview/internal/link"
	"github.com/svcflow/svc/ui/runview/record"
	"github.com/svcflow/svc/ui/runview/valueview"
)

// OutputConfig is what an [Output] needs.
type OutputConfig struct {
	Values valueview.Config
	// Full loads the complete outputs of a node outside of loops from the result of the run.
	// nil hides that button.
	Full func(ctx context.Context, runID, nodeID string) (map[string]any, error)
	// OnShow is called with the path of a node that the user wants to see. It may be nil.
	OnShow func(path string)
	// Dragged is called with the position in the window of a part of an output while it is
	// dragged, and Dropped with the one where it was released. They may be nil.
	Dragged, Dropped func(what Taken, at fyne.Position)
}

// Taken is a part of an output of a node: the value at a path.
type Taken struct {
	Path, Port string // of the node, without iterations
	Steps      []any
}

// Output shows the inputs and outputs of a node, of one step if it is in a loop, or the
// outputs of the workflow. The zero value is not usable; see [NewOutput].
type Output struct {
	config  OutputConfig
	run     *record.Recorder
	subject Subject
	chosen  fold.Path // the step that the user chose; "" for the one to look at
	port    entryKey
	seen    entry // the entry whose value is shown

	entries []entry
	stamp   string // a key of what the entries were made from
	loading *job.Latest
	full    fullOutputs

	title, state, step *kit.Text
	before, after      *link.Link
	show               *link.Link
	list               *kit.LongList
	view               *valueview.View
	head, body         *fyne.Container
	empty              *kit.Text
	whole              *fyne.Container
}

// fullOutputs are loaded outputs of a node.
type fullOutputs struct {
	run     string
	node    fold.Path
	outputs map[string]any
}

// NewOutput returns a panel for a workflow that has not run.
func NewOutput(c OutputConfig) *Output {
	o := &Output{config: c, loading: c.Values.Jobs.Latest(0)}
	c.Values.Dragged = func(steps []any, at fyne.Position) { o.carry(&o.seen, steps, at, false) }
	c.Values.Dropped = func(steps []any, at fyne.Position) { o.carry(&o.seen, steps, at, true) }
	o.view = valueview.New(c.Values)
	o.title = kit.NewText("", kit.Style{Bold: true})
	o.state = kit.NewText("", kit.Style{Size: kit.Secondary, Cut: true})
	o.step = kit.NewText("", kit.Style{Size: kit.Secondary, Ink: kit.Dim})
	o.before, o.after = link.New("‹", func() { o.goStep(-1) }), link.New("›", func() { o.goStep(1) })
	o.show = link.New(lang.L("Show node"), func() { o.config.OnShow(o.subject.Path) })
	o.list = kit.NewLongList(func() int { return len(o.entries) }, func() fyne.CanvasObject { return newEntryRow(o) }, func(i widget.ListItemID, c fyne.CanvasObject) {
		c.(*entryRow).set(&o.entries[i])
	})
	o.list.HideSeparators = true
	o.list.OnSelected = o.choose
	o.head = container.NewBorder(nil, nil, o.title, kit.Row(2, o.before, o.step, o.after, o.show, strut()), kit.Pad(0, 8, o.state))
	o.body = container.New(beginning{210}, o.list, widget.NewSeparator(), kit.Pad(0, 8, o.view.Object()))
	o.empty = kit.NewText("", kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter, Cut: true})
	o.whole = container.NewBorder(kit.Pad(2, 16, o.head), nil, nil, nil, container.NewStack(kit.Pad(0, 8, o.body), o.empty))
	o.refresh()
	return o
}

// Object returns the panel's canvas object.
func (o *Output) Object() fyne.CanvasObject { return o.whole }

// Show shows the values of a node, or of the workflow.
func (o *Output) Show(s Subject) {
	if s.Path != o.subject.Path {
		o.chosen, o.port = "", entryKey{}
	}
	o.subject, o.stamp = s, ""
	o.refresh()
}

// Step returns the step whose values are shown: for a node in a loop, the one that the user
// chose. It is "" if no step is shown.
func (o *Output) Step() fold.Path {
	if _, step := o.current(); step != nil {
		return step.Path
	}
	return ""
}

// Pick shows the output of a port of the node.
func (o *Output) Pick(port string) {
	o.port, o.stamp = entryKey{outputPart, port}, ""
	o.refresh()
}

// Update shows the present state of the run; nil is no run. It is cheap if nothing visible
// has changed.
func (o *Output) Update(r *record.Recorder) {
	if r != o.run {
		o.chosen, o.full = "", fullOutputs{}
		o.loading.Stop()
	}
	o.run = r
	o.refresh()
}

// refresh rebuilds the panel if the step that is shown has changed.
func (o *Output) refresh() {
	n, step := o.current()
	stamp := o.stampOf(n, step)
	if stamp == o.stamp {
		return
	}
	o.stamp = stamp
	o.entries = o.entriesOf(step)
	o.fillHead(n, step)
	o.empty.SetText(o.emptyText(step))
	o.empty.Hidden = len(o.entries) > 0
	o.head.Hidden, o.body.Hidden = o.run == nil, !o.empty.Hidden
	o.whole.Refresh()
	o.pickEntry()
}

// current returns the node and the step that are shown: the step that the user chose, else
// the first failed one, else the last. Both are nil for the workflow.
func (o *Output) current() (*fold.Node, *fold.Step) {
	if o.run == nil || o.subject.Path == "" {
		return nil, nil
	}
	n := o.run.Node(o.subject.Path)
	if n == nil {
		return nil, nil
	}
	if s := o.run.Step(o.chosen); s != nil {
		return n, s
	}
	steps := sorted(o.run.Steps(n))
	if i := slices.IndexFunc(steps, func(s *fold.Step) bool { return s.Status == n.Status && n.Failed > 0 }); i >= 0 {
		return n, steps[i]
	}
	if len(steps) == 0 {
		return n, nil
	}
	return n, steps[len(steps)-1]
}

// stampOf returns a key that changes with what is shown.
func (o *Output) stampOf(n *fold.Node, s *fold.Step) string {
	switch {
	case o.run == nil:
		return "no run"
	case s == nil:
		return fmt.Sprintf("%p %s %s %d", o.run, o.subject.Path, o.run.Status, len(o.full.outputs))
	}
	return fmt.Sprintf("%p %s %s %s %d %d %d %d", o.run, o.run.Status, s.Path, s.Status, s.Attempts, n.Done, len(n.Running), len(o.full.outputs))
}

func (o *Output) goStep(by int) {
	n, step := o.current()
	if step == nil {
		return
	}
	steps := sorted(o.run.Steps(n))
	i := slices.Index(steps, step) + by
	if i >= 0 && i < len(steps) {
		o.chosen = steps[i].Path
		o.refresh()
	}
}

func (o *Output) emptyText(step *fold.Step) string {
	switch {
	case o.run == nil:
		return lang.L("Run the workflow to see what comes out.")
	case step == nil && fold.Container(o.subject.Path) != "" && !o.run.Running():
		return lang.L("No values of this node are stored. The run has not reached it, or the oldest steps of its loop were dropped.")
	case o.subject.Path != "" && step == nil:
		return lang.L("The run has not reached this node.")
	case step != nil:
		return lang.L("Nothing came in and nothing came out.")
	case o.run.Running():
		return lang.L("The outputs of the workflow appear when the run has ended. Select a node to see its outputs.")
	}
	return lang.L("The workflow has no outputs. Select a node to see its outputs.")
}

// fillHead shows the title and the state.
func (o *Output) fillHead(n *fold.Node, s *fold.Step) {
	loop := n != nil && n.Depth > 0 && s != nil
	o.before.Hidden, o.after.Hidden, o.step.Hidden = !loop, !loop, !loop
	o.show.Hidden = s == nil || o.config.OnShow == nil
	if s == nil {
		o.state.SetText("")
		if o.subject.Path != "" {
			o.title.SetText(o.subject.Title)
			return
		}
		o.title.SetText(lang.L("Workflow"))
		if o.run != nil {
			o.state.SetStyle(kit.Style{Size: kit.Secondary, Cut: true, Ink: statusInk(o.run.Status)})
			o.state.SetText(summaryOf(o.run))
		}
		return
	}
	o.title.SetText(o.subject.Title)
	o.state.SetStyle(kit.Style{Size: kit.Secondary, Cut: true, Ink: statusInk(s.Status)})
	o.state.SetText(stateOf(s))
	if loop {
		o.step.SetText(lang.L("Step {{.Step}} of {{.Total}}", map[string]any{"Step": ordinal(s.Path), "Total": n.Done + len(n.Running)}))
	}
}

// stateOf describes the state of a step in one line.
func stateOf(s *fold.Step) string {
	text := statusWord(s.Status)
	switch {
	case s.Reused:
		return text + " · " + lang.L("taken over from the run before")
	case s.Skipped != nil:
		return text + " · " + skipText(s.Skipped.Reason, s.Skipped.NodeID)
	case s.Ended.IsZero(), s.Status == engine.StatusSkipped:
		return text
	}
	text += " · " + Duration(s.Duration)
	if s.Attempts > 1 {
		text += " · " + lang.L("{{.N}} attempts", map[string]any{"N": s.Attempts})
	}
	if s.Warnings > 0 {
		text += " · " + lang.N("{{.N}} warnings", s.Warnings, map[string]any{"N": s.Warnings})
	}
	return text
}

func skipText(reason, node string) string {
	data := map[string]any{"Node": node}
	switch reason {
	case "failed":
		return lang.L("because {{.Node}} failed", data)
	case "disabled":
		return lang.L("because {{.Node}} is disabled", data)
	}
	return lang.L("because nothing came from {{.Node}}", data)
}

// strut keeps a row as high as one with buttons.
func strut() fyne.CanvasObject {
	const height = 24
	s := canvas.NewRectangle(color.Transparent)
	s.SetMinSize(fyne.NewSize(0, height))
	return s
}

// beginning is a layout of two objects side by side, with a line between. The first has a
// fixed width.
type beginning struct{ width float32 }

// Layout implements fyne.Layout.
func (b beginning) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(fyne.NewSize(b.width, size.Height))
	objects[1].Move(fyne.NewPos(b.width, 0))
	objects[1].Resize(fyne.NewSize(1, size.Height))
	objects[2].Move(fyne.NewPos(b.width+1, 0))
	objects[2].Resize(fyne.NewSize(max(size.Width-b.width-1, 0), size.Height))
}

// MinSize implements fyne.Layout.
func (b beginning) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(b.width+objects[2].MinSize().Width, objects[2].MinSize().Height)
}
