package valueview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/ui/kit"
)

// tableView shows a list of records as a table. A tap on the head of a column sorts by it.
type tableView struct {
	grid *grid
	// columns are the columns to show, from left to right; nil for all.
	columns []string
	table   *widget.Table
	note    *kit.Text
	whole   *fyne.Container
}

func newTableView() *tableView {
	t := &tableView{grid: newGrid(nil, nil), note: kit.NewText("", kit.Style{Size: kit.Caption, Ink: kit.Running})}
	t.table = widget.NewTable(
		func() (rows, columns int) { return len(t.grid.records), len(t.grid.columns) },
		func() fyne.CanvasObject { return newTableCell() },
		func(id widget.TableCellID, o fyne.CanvasObject) {
			v, given := t.grid.at(id.Row, id.Col)
			o.(*tableCell).set(cell(v, given), kit.Style{Size: MonoSize, Mono: true, Cut: true, Ink: cellInk(v)})
		},
	)
	t.table.ShowHeaderRow = true
	t.table.CreateHeader = func() fyne.CanvasObject { return newTableHead() }
	t.table.UpdateHeader = t.updateHead
	t.whole = container.NewBorder(nil, t.note, nil, nil, t.table)
	return t
}

func (t *tableView) object() fyne.CanvasObject { return t.whole }

// cellInk returns the colour of a cell; strings, the most frequent values, are plain.
func cellInk(v any) kit.ColorFunc {
	if _, ok := v.(string); ok {
		return kit.Plain
	}
	return inkOf(v)
}

func (t *tableView) show(v any) {
	list, _ := v.([]any)
	t.grid = newGrid(list, t.columns)
	t.note.Hidden = t.grid.more == 0
	if t.grid.more > 0 {
		t.note.SetText(lang.L("{{.N}} more columns are not shown. Look at the tree instead.", map[string]any{"N": t.grid.more}))
	}
	t.fit()
	t.table.ScrollToTop()
	t.table.ScrollToLeading()
	t.whole.Refresh()
}

// fit adapts the widths of columns to their first rows, up to a limit.
func (t *tableView) fit() {
	const least, most, looked = 56, 280, 40
	style := fyne.TextStyle{Monospace: true}
	for column, name := range t.grid.columns {
		width := fyne.MeasureText(name+" ↓", kit.Secondary, fyne.TextStyle{Bold: true}).Width
		for row := range min(len(t.grid.records), looked) {
			v, given := t.grid.at(row, column)
			width = max(width, fyne.MeasureText(cell(v, given), MonoSize, style).Width)
		}
		t.table.SetColumnWidth(column, min(max(width+2*cellPad, least), most))
	}
}

func (t *tableView) updateHead(id widget.TableCellID, o fyne.CanvasObject) {
	if id.Col < 0 || id.Col >= len(t.grid.columns) {
		return
	}
	name := t.grid.columns[id.Col]
	switch {
	case t.grid.sorted == id.Col && t.grid.falling:
		name += " ↓"
	case t.grid.sorted == id.Col:
		name += " ↑"
	}
	head := o.(*tableHead)
	head.set(name, kit.Style{Size: kit.Secondary, Bold: true, Cut: true})
	head.tapped = func() {
		t.grid.sortBy(id.Col)
		t.table.Refresh()
	}
}

// cellPad is the padding of a cell, in dp.
const cellPad = 6

// tableCell is one cell: a text.
type tableCell struct {
	widget.BaseWidget

	text *kit.Text
}

func newTableCell() *tableCell {
	c := &tableCell{text: kit.NewText("", kit.Style{Size: MonoSize, Mono: true, Cut: true})}
	c.ExtendBaseWidget(c)
	return c
}

func (c *tableCell) set(text string, style kit.Style) {
	c.text.SetText(text)
	c.text.SetStyle(style)
}

// CreateRenderer implements fyne.Widget.
func (c *tableCell) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(kit.Pad(2, cellPad, c.text))
}

// tableHead is the head of a column.
type tableHead struct {
	tableCell

	tapped func()
}

var _ fyne.Tappable = (*tableHead)(nil)

func newTableHead() *tableHead {
	h := &tableHead{tableCell: tableCell{text: kit.NewText("", kit.Style{})}}
	h.ExtendBaseWidget(h)
	return h
}

// Tapped sorts by the column.
func (h *tableHead) Tapped(*fyne.PointEvent) {
	if h.tapped != nil {
		h.tapped()
	}
}
