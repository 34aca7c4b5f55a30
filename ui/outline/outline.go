package outline

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// Config has the callbacks of an [Outline]. All may be nil.
type Config struct {
	// Show is called with the path of a node, such as "loop/fmt", for board.Board.ShowPath;
	// Open with that of a node that was double-clicked or chosen with Enter.
	Show, Open func(path string)
	// ShowPart is called with a group or note of the level.
	ShowPart func(part doc.Set)
	// Problem is called with a problem.
	Problem func(*engine.ValidationError)
	// Leave is called for Escape in the list, or in the empty field.
	Leave func()
}

// Outline lists a level below a field that filters it. The zero value is not usable; see
// [New].
type Outline struct {
	config Config
	all    []row // of the level, without headings
	rows   []row // the visible ones
	list   *kit.List
	filter *kit.Search
	empty  *fyne.Container // shown while there are no rows
	whole  fyne.CanvasObject
}

// New returns an empty outline.
func New(c Config) *Outline {
	o := &Outline{config: c, empty: container.NewStack()}
	o.list = kit.NewList(kit.Rows{
		Len:      func() int { return len(o.rows) },
		Make:     func() fyne.CanvasObject { return newRowView() },
		Fill:     func(i int, view fyne.CanvasObject) { view.(*rowView).set(&o.rows[i]) },
		Height:   func(i int, _ float32) float32 { return o.rows[i].height(i == 0) },
		Inert:    func(i int) bool { return o.rows[i].kind == heading },
		Tip:      func(i int) string { return o.rows[i].tip },
		Selected: func(i int) { o.show(&o.rows[i]) },
		Chosen:   func(i int) { o.open(&o.rows[i]) },
		Escaped:  o.leave,
	})
	o.filter = kit.NewSearch(lang.L("Find on this level"), o.list, func(string) { o.build(nil) })
	o.filter.Escaped = o.escape
	o.whole = kit.Panel(container.NewBorder(kit.Pad(12, 12, o.filter), nil, nil, nil, container.NewStack(o.list, o.empty)))
	o.build(nil)
	return o
}

// Object returns the outline's canvas object.
func (o *Outline) Object() fyne.CanvasObject { return o.whole }

// Focus focuses the field on the outline's canvas and selects its text.
func (o *Outline) Focus(on fyne.Canvas) {
	on.Focus(o.filter)
	o.filter.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// Update lists the present contents of the board. If one node is selected there, it becomes
// the current row.
func (o *Outline) Update(board *board.Board) {
	o.all = rowsOf(board)
	var selected *row
	if id, ok := board.Selection.Sole(); ok {
		selected = &row{kind: nodeRow, path: fold.Join(board.Document().Path(), id)}
	}
	o.build(selected)
}

// build shows the rows that match the filter. The current row stays, unless selected is given
// and in the list.
func (o *Outline) build(selected *row) {
	var current *row
	if i := o.list.Current(); i >= 0 && i < len(o.rows) {
		current = &o.rows[i]
	}
	o.rows = filtered(o.all, o.filter.Text)
	at := find(o.rows, selected)
	if at < 0 {
		at = find(o.rows, current)
	}
	o.list.Update()
	if at != o.list.Current() {
		o.list.SetCurrent(at)
	}
	o.empty.Objects = nil
	switch {
	case len(o.all) == 0:
		o.empty.Add(kit.Empty(lang.L("Nothing here yet"), lang.L("Add a node from the list at the left, or double-click the canvas."), nil))
	case len(o.rows) == 0:
		o.empty.Add(kit.Empty(lang.L("Nothing found"), lang.L("Nothing on this level is called like that."), nil))
	}
	o.empty.Refresh()
}

// escape clears the field first.
func (o *Outline) escape() {
	if o.filter.Text == "" {
		o.leave()
		return
	}
	o.filter.SetText("")
}

func (o *Outline) leave() {
	if o.config.Leave != nil {
		o.config.Leave()
	}
}

func (o *Outline) show(r *row) {
	switch {
	case r.kind == nodeRow && o.config.Show != nil:
		o.config.Show(r.path)
	case r.kind == problemRow && o.config.Problem != nil:
		o.config.Problem(r.problem)
	case (r.kind == groupRow || r.kind == noteRow) && o.config.ShowPart != nil:
		o.config.ShowPart(r.part())
	}
}

func (o *Outline) open(r *row) {
	if r.kind == nodeRow && o.config.Open != nil {
		o.config.Open(r.path)
		return
	}
	o.show(r)
}
