package valueview

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/theme"
)

// treeView shows a value as a tree.
type treeView struct {
	outline *outline
	tree    *widget.Tree
	choose  func(at *branch) // is called with the chosen branch; nil for none
}

func newTreeView(choose func(at *branch), carry func(at *branch, to fyne.Position, dropped bool)) *treeView {
	t := &treeView{outline: newOutline(nil), choose: choose}
	t.tree = widget.NewTree(
		func(id string) []string { return t.outline.children(id) },
		func(id string) bool { return t.outline.isBranch(id) },
		func(bool) fyne.CanvasObject { return newTreeRow(carry) },
		func(id string, _ bool, o fyne.CanvasObject) {
			if at := t.outline.at(id); at != nil {
				o.(*treeRow).set(at)
			}
		},
	)
	t.tree.HideSeparators = true
	t.tree.OnSelected = func(id string) { t.choose(t.outline.at(id)) }
	t.tree.OnUnselected = func(string) { t.choose(nil) }
	return t
}

func (t *treeView) object() fyne.CanvasObject { return t.tree }

func (t *treeView) show(v any) {
	t.tree.UnselectAll()
	t.tree.CloseAllBranches()
	t.outline = newOutline(v)
	t.openFirst()
	t.tree.ScrollToTop()
	t.tree.Refresh()
}

// openFirst unfolds small values, to save clicks.
func (t *treeView) openFirst() {
	const few = 3
	ids := t.outline.children("")
	if len(ids) > few {
		return
	}
	for _, id := range ids {
		if at := t.outline.at(id); !at.isRange() && lengthOf(at.value) > 0 && lengthOf(at.value) <= branchSize {
			t.tree.OpenBranch(id)
		}
	}
}

// treeRow is one row of a tree: the name of a part, and its value.
type treeRow struct {
	widget.BaseWidget

	at    *branch
	carry func(at *branch, to fyne.Position, dropped bool)
	drag  fyne.Position // the last position of the drag
}

var _ fyne.Draggable = (*treeRow)(nil)

func newTreeRow(carry func(at *branch, to fyne.Position, dropped bool)) *treeRow {
	r := &treeRow{at: &branch{to: -1}, carry: carry}
	r.ExtendBaseWidget(r)
	return r
}

func (r *treeRow) set(at *branch) {
	if r.at != at {
		r.at = at
		r.Refresh()
	}
}

// Dragged implements fyne.Draggable.
func (r *treeRow) Dragged(e *fyne.DragEvent) {
	r.drag = e.AbsolutePosition
	r.carry(r.at, r.drag, false)
}

// DragEnd implements fyne.Draggable.
func (r *treeRow) DragEnd() { r.carry(r.at, r.drag, true) }

// CreateRenderer implements fyne.Widget.
func (r *treeRow) CreateRenderer() fyne.WidgetRenderer {
	p := &treePainter{row: r, key: canvas.NewText("", color.Transparent), value: canvas.NewText("", color.Transparent)}
	for _, text := range []*canvas.Text{p.key, p.value} {
		text.TextSize, text.TextStyle.Monospace = MonoSize, true
	}
	p.paint()
	return p
}

type treePainter struct {
	row        *treeRow
	key, value *canvas.Text
}

const (
	treeHeight = 18
	treeGap    = 8
)

func (p *treePainter) paint() {
	colors, at := theme.Current(), p.row.at
	p.key.Color, p.key.Text = colors.Text, at.key
	p.value.Color, p.value.Text = colors.Legible(inkOf(at.value)(colors)), ""
	if !at.isRange() && at.key != "" {
		p.value.Text = leaf(at.value)
	}
}

// Refresh adopts the colours of the theme and the content of the row.
func (p *treePainter) Refresh() {
	p.paint()
	p.Layout(p.row.Size())
	p.key.Refresh()
	p.value.Refresh()
}

// Layout places the value behind the name.
func (p *treePainter) Layout(size fyne.Size) {
	key := p.key.MinSize()
	top := float32(int(size.Height-key.Height) / 2) // letters are at whole pixels
	p.key.Move(fyne.NewPos(0, top))
	p.key.Resize(key)
	p.value.Move(fyne.NewPos(key.Width+treeGap, top))
	p.value.Resize(fyne.NewSize(max(size.Width-key.Width-treeGap, 0), key.Height))
}

// MinSize is as wide as the texts: the tree scrolls horizontally.
func (p *treePainter) MinSize() fyne.Size {
	return fyne.NewSize(p.key.MinSize().Width+treeGap+p.value.MinSize().Width, treeHeight)
}

// Objects returns both texts.
func (p *treePainter) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{p.key, p.value} }

// Destroy implements fyne.WidgetRenderer.
func (p *treePainter) Destroy() {}
