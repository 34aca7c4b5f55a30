package ui

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/start"
)

// stage is the centre of the window: the canvas with its overlays, or the start page.
type stage struct {
	whole *fyne.Container
	work  fyne.CanvasObject // the canvas with its overlays
	start fyne.CanvasObject
	hint  *fyne.Container // shown over an empty canvas
	zoom  *kit.Text
	chart *fyne.Container // the minimap, if there is room for it
	path  *fyne.Container // the breadcrumbs, and a remark on a past run
	above *fyne.Container // lays out path
	shown breadcrumbs     // what path says
}

// breadcrumbs is all that the steps above the canvas depend on.
type breadcrumbs struct {
	compared         string // with what
	doc              *doc.Document
	name, where, run string
	status           engine.Status
}

// overEdge is the distance of overlays from the edges of the canvas, in dp.
const overEdge = 12

// newStage lays out the centre of the window.
func newStage(v *views) *stage {
	s := &stage{
		start: kit.Panel(v.start.Object()),
		hint:  container.NewStack(),
		zoom:  kit.NewText("100 %", kit.Style{Size: kit.Secondary, Align: fyne.TextAlignCenter}),
		path:  kit.Column(4),
	}
	run := func(id string) func() { return func() { v.commands.Run(id) } }
	zoom := kit.Inset(kit.Pad(2, 4, kit.Row(2,
		kit.NewIconButton(fynetheme.ContentRemoveIcon(), lang.L("Zoom out"), run("view.zoom-out")),
		container.NewGridWrap(fyne.NewSize(56, 28), container.NewCenter(kit.NewTouch(s.zoom, run("view.zoom-100")))),
		kit.NewIconButton(fynetheme.ContentAddIcon(), lang.L("Zoom in"), run("view.zoom-in")),
		kit.NewIconButton(fynetheme.ZoomFitIcon(), lang.L("Show everything"), run("view.fit")))))
	s.chart = container.NewStack(v.minimap)
	low := container.New(cornersLayout{}, zoom, s.chart)
	s.above = container.NewBorder(s.path, low, nil, nil)
	over := kit.Pad(overEdge, overEdge, s.above)
	s.work = container.NewStack(v.canvas, s.hint, over)
	s.whole = container.NewBorder(container.NewVBox(v.strip.Object(), v.banner.whole), nil, nil, nil, container.NewStack(s.work, s.start))
	v.banner.around = s.whole
	return s
}

// cornersLayout puts the zoom buttons into the left corner and the minimap into the right
// one, if both fit and the map covers at most a quarter of the width.
type cornersLayout struct{}

// Layout implements fyne.Layout.
func (cornersLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	const gap, part = 12, 4
	zoom, chart := o[0].MinSize(), o[1].MinSize()
	o[0].Move(fyne.NewPos(0, size.Height-zoom.Height))
	o[0].Resize(zoom)
	o[1].Move(fyne.NewPos(size.Width-chart.Width, size.Height-chart.Height))
	o[1].Resize(chart)
	if room := zoom.Width+gap+chart.Width <= size.Width && part*chart.Width <= size.Width; room != o[1].Visible() {
		if room {
			o[1].Show()
		} else {
			o[1].Hide()
		}
	}
}

// MinSize implements fyne.Layout.
func (cornersLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	zoom := o[0].MinSize()
	return fyne.NewSize(zoom.Width, max(zoom.Height, o[1].MinSize().Height))
}

// showStart shows the start page, or the canvas.
func (s *stage) showStart(on bool) {
	if on {
		s.work.Hide()
		s.start.Show()
	} else {
		s.start.Hide()
		s.work.Show()
	}
}

func (s *stage) showZoom(zoom float64) {
	const percent = 100
	s.zoom.SetText(strconv.Itoa(int(zoom*percent+0.5)) + " %")
}

// update updates the breadcrumbs and the hint of an empty canvas.
func (s *stage) update(v *views) {
	b := v.board()
	doc := b.Document()
	empty := !b.ReadOnly && len(doc.Path()) == 0 && len(doc.Nodes())+len(doc.Notes()) == 0
	switch {
	case empty && len(s.hint.Objects) == 0:
		s.hint.Add(start.Hint(v.templates(), v.specs, v.openTemplate))
	case !empty && len(s.hint.Objects) > 0:
		s.hint.RemoveAll()
	}
	s.tellPath(v)
	s.cover(v)
}

// tellPath shows the breadcrumbs, and what the document is compared with.
func (s *stage) tellPath(v *views) {
	b := v.board()
	doc := b.Document()
	now := breadcrumbs{doc: doc, name: doc.Name(), where: strings.Join(append(doc.Path(), doc.Titles()...), "/")}
	now.compared, _ = b.Comparing()
	if v.runs.Past() != nil {
		run := v.runs.Shown()
		now.run, now.status = run.ID, run.Record.Status
	}
	if now == s.shown {
		return
	}
	s.shown = now
	s.path.Objects = s.crumbs(v)
	s.path.Refresh()
	s.above.Refresh() // adjusts its height
}

// cover keeps the document clear of the messages above it.
func (s *stage) cover(v *views) {
	b, before := v.board(), v.board().View
	top := float32(0)
	if len(s.path.Objects) > 0 {
		top = s.path.MinSize().Height + overEdge
	}
	if b.Cover(float64(top)); b.View != before {
		v.canvas.Update()
		v.looked()
	}
}

// crumbs are links to the levels around the present one, below the remark on a past run. Both
// become shorter where there is no room.
func (s *stage) crumbs(v *views) []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	if v.runs.Past() != nil {
		status := map[string]any{"Status": lang.L(v.runs.Shown().Record.Status.String())}
		rows = append(rows, kit.Fits(
			pastRun(lang.L("A past run, {{.Status}}: it shows what was run and cannot be changed", status), v.command("run.leave")),
			pastRun(lang.L("A past run, {{.Status}}", status), v.command("run.leave"))))
	}
	if as, is := v.board().Comparing(); is {
		rows = append(rows, v.compared(as))
	}
	path := v.board().Document().Path()
	if len(path) == 0 {
		return rows
	}
	return append(rows, kit.Fits(v.steps(path, 0), v.steps(path, len(path)-1)))
}

// pastRun shows that the run is read-only, and a button to go back.
func pastRun(text string, back func()) fyne.CanvasObject {
	button := kit.NewButton(lang.L("Back to the draft"), back)
	button.Importance = widget.HighImportance
	said := container.NewCenter(kit.NewText(text, kit.Style{Ink: kit.Running}))
	return container.NewHBox(kit.Inset(kit.Pad(4, 12, kit.Row(12, said, button))))
}

// steps returns links to the outer levels and the name of the present one, without the given
// number of outermost levels.
func (v *views) steps(path []string, without int) fyne.CanvasObject {
	const longest = 180
	step := func(title string, to []string) fyne.CanvasObject {
		return kit.NewButton(cards.Shorten(title, kit.Body, longest), func() { v.editing.Do(func(b *board.Board) error { return b.LeaveTo(to) }) })
	}
	between := func() fyne.CanvasObject { return container.NewCenter(kit.NewText("›", kit.Style{Ink: kit.Dim})) }
	first := v.board().Document().Name()
	if without > 0 {
		first = "…"
	}
	row := []fyne.CanvasObject{step(first, path[:without])}
	titles := v.board().Document().Titles()
	last := len(path) - 1
	for i := without; i < last; i++ {
		row = append(row, between(), step(titles[i], path[:i+1]))
	}
	row = append(row, between(), container.NewCenter(kit.NewText(cards.Shorten(titles[last], kit.Body, longest), kit.Style{Bold: true})))
	return container.NewHBox(kit.Inset(kit.Pad(2, 6, kit.Row(4, row...))))
}
