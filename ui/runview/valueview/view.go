package valueview

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/poster"
	"github.com/svcflow/svc/ui/runview/internal/link"
)

// Config is what a view needs.
type Config struct {
	// Jobs reads pictures. It is required.
	Jobs *job.Runner
	// Copy copies a text to the clipboard; nil hides that button.
	Copy func(text string)
	// Media returns the host of the files that values refer to, or nil. It may be nil itself.
	Media func() poster.Host
	// Play opens the file of media in another program; nil hides that button.
	Play func(m value.Media)
	// Dragged is called with the position in the window of a part of the value while it is
	// dragged, and Dropped with the one where it was released. steps are the path to the
	// part: names of fields, and indexes of items. They may be nil.
	Dragged, Dropped func(steps []any, at fyne.Position)
}

func (c *Config) host() poster.Host {
	if c.Media == nil {
		return nil
	}
	return c.Media()
}

// View shows one value. The zero value is not usable; see [New].
type View struct {
	config Config
	value  any
	shown  bool // there is a value
	kind   Kind
	wanted Kind // the user's last choice
	at     *branch

	text    *textView
	tree    *treeView
	table   *tableView
	picture *pictureView
	media   *pictureView
	prose   *markdownView
	pages   map[Kind]page
	tabs    map[Kind]*link.Link

	play                *link.Link
	copyValue, copyPath *link.Link
	notice              *fyne.Container
	sentence            *kit.Text
	action              *link.Link
	bar                 *fyne.Container
	whole               *fyne.Container
}

// page is one kind of view.
type page interface {
	object() fyne.CanvasObject
	show(v any)
}

// New returns an empty view.
func New(c Config) *View {
	v := &View{config: c, tabs: map[Kind]*link.Link{}}
	v.prose = newMarkdownView()
	v.text, v.table, v.picture = newTextView(c.Copy), newTableView(), newPictureView(c.Jobs, c.host)
	v.media = newMediaView(c.Jobs, c.host)
	v.tree = newTreeView(v.pick, v.carry)
	v.pages = map[Kind]page{Text: v.text, Tree: v.tree, Table: v.table, Picture: v.picture, Media: v.media, Markdown: v.prose}
	v.sentence = kit.NewText("", kit.Style{Ink: kit.Dim, Align: fyne.TextAlignCenter, Cut: true})
	v.action = link.New("", nil)
	v.notice = container.NewBorder(nil, nil, nil, nil, container.NewVBox(layout.NewSpacer(), v.sentence, container.NewCenter(v.action), layout.NewSpacer()))
	stack := container.NewStack(v.notice)
	for _, kind := range kinds() {
		stack.Add(v.pages[kind].object())
	}
	v.bar = v.newBar()
	v.whole = container.NewBorder(v.bar, nil, nil, nil, stack)
	v.Say("")
	return v
}

// kinds returns all kinds, in the order of their tabs.
func kinds() []Kind { return []Kind{Media, Table, Tree, Picture, Markdown, Text} }

// newBar makes the row above the value.
func (v *View) newBar() *fyne.Container {
	names := map[Kind]string{Text: lang.L("Text"), Tree: lang.L("Tree"), Table: lang.L("Table"), Picture: lang.L("Picture"), Media: lang.L("Media"), Markdown: "Markdown"}
	left := kit.Row(2)
	for _, kind := range kinds() {
		v.tabs[kind] = link.New(names[kind], func() {
			v.wanted = kind
			v.look(kind)
		})
		left.Add(v.tabs[kind])
	}
	v.copyPath = link.New(lang.L("Copy path"), func() { v.config.Copy(v.at.path) })
	v.copyValue = link.New(lang.L("Copy value"), v.copyIt)
	v.play = link.New(lang.L("Open"), func() { v.config.Play(view.Of(v.value, view.Wish{Kind: view.Media}).Media) })
	right := kit.Row(2, v.copyPath, v.copyValue)
	if v.config.Copy == nil {
		right.Hide()
	}
	return container.NewBorder(nil, nil, left, kit.Row(2, v.play, right))
}

// Object returns the view's canvas object.
func (v *View) Object() fyne.CanvasObject { return v.whole }

// Show shows a value, which must not be changed afterwards: as wished, if possible, else as
// the user last chose, if possible, else as suits it best.
func (v *View) Show(value any, w view.Wish) {
	v.value, v.shown = value, true
	possible := wished(value, w)
	kind := possible[0]
	if (w.Kind == "" || w.Kind == view.Auto) && slices.Contains(possible, v.wanted) {
		kind = v.wanted
	}
	v.table.columns = w.Columns
	v.play.Hidden = v.config.Play == nil || !poster.CanOpen(view.Of(value, view.Wish{Kind: view.Media}).Media)
	for k, tab := range v.tabs {
		tab.Hidden = len(possible) < 2 || !slices.Contains(possible, k)
	}
	v.notice.Hide()
	v.bar.Show()
	v.whole.Refresh()
	v.look(kind)
}

// Say shows a sentence instead of a value; "" shows nothing.
func (v *View) Say(sentence string) { v.Offer(sentence, "", nil) }

// Offer is Say with a button below the sentence.
func (v *View) Offer(sentence, button string, pressed func()) {
	v.value, v.shown = nil, false
	v.hidePages()
	v.bar.Hide()
	v.sentence.SetText(sentence)
	v.action.SetText(button)
	v.action.OnPressed(pressed)
	v.action.Hidden = button == ""
	v.notice.Show()
	v.whole.Refresh()
}

// look shows the value as a kind.
func (v *View) look(kind Kind) {
	v.hidePages()
	v.kind = kind
	for k, tab := range v.tabs {
		tab.SetChosen(k == kind)
	}
	v.pick(nil)
	v.pages[kind].object().Show()
	v.pages[kind].show(v.value)
}

func (v *View) hidePages() {
	v.picture.hide()
	v.media.hide()
	for _, p := range v.pages {
		p.object().Hide()
	}
}

// pick selects the part of the value to copy; nil is the whole.
func (v *View) pick(at *branch) {
	if at != nil && at.isRange() {
		at = nil
	}
	v.at = at
	v.copyPath.Hidden = at == nil
	v.bar.Refresh()
}

func (v *View) copyIt() {
	what := v.value
	if v.at != nil {
		what = v.at.value
	}
	if text, ok := Print(what); ok {
		v.config.Copy(text)
	} else {
		v.Say(lang.L("Too large to copy: more than 64 MB. Choose a part of it in the tree."))
	}
}

// carry reports where a part of the value is dragged.
func (v *View) carry(at *branch, to fyne.Position, dropped bool) {
	tell := v.config.Dragged
	if dropped {
		tell = v.config.Dropped
	}
	if tell != nil && !at.isRange() {
		tell(at.steps(), to)
	}
}
