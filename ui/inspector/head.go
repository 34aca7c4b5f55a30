package inspector

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// nodeHead is the top of a node's page: icon, title, type and id. The title becomes an entry
// while it is edited.
type nodeHead struct {
	editor *editor
	id     string
	title  *kit.Text
	detail *kit.Text
	rename *glyph
	entry  *entry
	read   fyne.CanvasObject // title and its button
	whole  fyne.CanvasObject
	label  string
}

func newNodeHead(d *editor, id string, spec *node.Spec) *nodeHead {
	h := &nodeHead{
		editor: d, id: id,
		title:  kit.NewText("", kit.Style{Size: kit.Title, Bold: true, Cut: true}),
		detail: kit.NewText("", kit.Style{Size: kit.Caption, Mono: true, Ink: kit.Dim, Cut: true}),
		entry:  newEntry(d, 1, false),
	}
	h.rename = newGlyph(fynetheme.IconNameDocumentCreate, lang.L("Rename"), h.begin)
	h.read = container.NewBorder(nil, nil, nil, kit.Middle(h.rename), h.title)
	h.entry.OnChanged = h.typed
	h.entry.OnSubmitted = func(string) { h.end() }
	h.entry.left = h.end
	h.entry.Hide()
	if spec != nil {
		h.entry.SetPlaceHolder(spec.Label)
	}
	texts := kit.Column(2, container.NewStack(h.read, h.entry), h.detail)
	h.whole = container.NewBorder(nil, nil, kit.Middle(newBadge(spec)), nil, kit.Pad(0, 8, texts))
	return h
}

func (h *nodeHead) update(n *workflow.Node) {
	h.label = n.Label
	h.title.SetText(h.editor.titleOf(n.ID))
	h.detail.SetText(n.Type + " · " + n.ID)
	enable(h.rename, !h.editor.readOnly())
	if h.entry.Visible() && h.entry.Text != n.Label {
		h.show(n.Label)
	}
}

func (h *nodeHead) show(text string) {
	h.entry.OnChanged = nil
	h.entry.SetText(text)
	h.entry.OnChanged = h.typed
}

func (h *nodeHead) begin() {
	h.show(h.label)
	h.read.Hide()
	h.entry.Show()
	h.editor.relayout()
	h.editor.focusOn(h.entry)
	h.entry.TypedShortcut(&fyne.ShortcutSelectAll{})
}

func (h *nodeHead) end() {
	if !h.entry.Visible() {
		return
	}
	h.entry.Hide()
	h.read.Show()
	h.editor.seal()
	h.editor.resized()
}

func (h *nodeHead) typed(text string) {
	h.editor.do(func(d *doc.Document) error { return d.SetLabel(h.id, text) })
}

// about shows the description of a node type: its first sentence, or all of it.
type about struct {
	editor      *editor
	text        *markdown
	more        *glyph
	short, full string
	whole       *fyne.Container
}

func newAbout(d *editor, spec *node.Spec) *about {
	a := &about{editor: d, text: newMarkdown()}
	a.more = newLink("", a.toggle)
	a.whole = kit.Column(2, a.text.whole, kit.Row(0, a.more))
	if spec == nil {
		a.full = lang.L("This node type is not known here. The node is kept as it is; it can be run where its plugin is installed.")
	} else {
		a.full = spec.Description
	}
	var folds bool
	if a.short, folds = firstSentence(a.full); !folds {
		a.more.Hide()
	}
	a.show()
	return a
}

func (a *about) toggle() {
	a.editor.open["about"] = !a.editor.open["about"]
	a.show()
	a.editor.relayout()
}

func (a *about) show() {
	text := a.short
	a.more.setText(lang.L("More"))
	if a.editor.open["about"] {
		text = a.full
		a.more.setText(lang.L("Less"))
	}
	a.text.set(text)
}

// badge is the icon of a node type on its colour: a circle if the canvas shows one, else a
// square.
type badge struct {
	widget.BaseWidget

	card node.Card
}

func newBadge(spec *node.Spec) *badge {
	b := &badge{}
	if spec != nil {
		b.card = spec.Card
	}
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *badge) CreateRenderer() fyne.WidgetRenderer {
	r := &badgeRenderer{b: b, ground: canvas.NewRectangle(color.Transparent), icon: canvas.NewImageFromResource(theme.Icon(b.card.Icon, theme.White()))}
	r.icon.FillMode = canvas.ImageFillContain
	r.paint()
	return r
}

type badgeRenderer struct {
	b      *badge
	ground *canvas.Rectangle
	icon   *canvas.Image
}

const badgeSize, badgeIcon = 32, 18

func (r *badgeRenderer) paint() {
	p := theme.Current()
	fill := scene.Exact(r.b.card.Color, scene.Plain(scene.InkDim))
	r.ground.FillColor = colors.Color(fill, &p)
	r.ground.StrokeColor, r.ground.StrokeWidth = p.Hairline, 0
	if fill.Dark() {
		r.ground.StrokeWidth = 1
	}
	r.ground.CornerRadius = 8
	if r.b.card.Shape == "circle" {
		r.ground.CornerRadius = badgeSize / 2
	}
}

func (r *badgeRenderer) Refresh() {
	r.paint()
	canvas.Refresh(r.b)
}

func (r *badgeRenderer) Layout(fyne.Size) {
	r.ground.Resize(fyne.NewSquareSize(badgeSize))
	r.icon.Resize(fyne.NewSquareSize(badgeIcon))
	r.icon.Move(fyne.NewSquareOffsetPos((badgeSize - badgeIcon) / 2))
}

func (r *badgeRenderer) MinSize() fyne.Size           { return fyne.NewSquareSize(badgeSize) }
func (r *badgeRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.ground, r.icon} }
func (r *badgeRenderer) Destroy()                     {}
