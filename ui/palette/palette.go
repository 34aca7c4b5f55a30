package palette

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// recentTypes is the number of last used types.
const recentTypes = 5

// Config has the contents and callbacks of a [Palette]. All callbacks may be nil.
type Config struct {
	// Specs are the node types; nil if they are unknown.
	Specs *doc.Specs
	// Recent are the last used types, newest first, as [Palette.Recent] returned them.
	// Unknown types are skipped.
	Recent []string
	// Add is called with a type that was double-clicked, or chosen with Enter, to be added in
	// the middle of the view.
	Add func(typ string)
	// Carry is called with the position in the window of a type while it is dragged, and Drop
	// with the one where it was released, which may be on the palette itself.
	Carry, Drop func(typ string, at fyne.Position)
	// Leave is called for Escape in the list, or in the empty field.
	Leave func()
}

// Palette is the list of node types. The zero value is not usable; see [New].
type Palette struct {
	config Config
	recent []string
	rows   []row
	list   *kit.List
	search *kit.Search
	empty  *fyne.Container // shown while there are no rows
	about  *about
	whole  fyne.CanvasObject
}

// New returns a palette.
func New(c Config) *Palette {
	p := &Palette{config: c, recent: slices.Clone(c.Recent), empty: container.NewStack(), about: newAbout()}
	p.list = kit.NewList(kit.Rows{
		Len:      func() int { return len(p.rows) },
		Make:     func() fyne.CanvasObject { return newRowView() },
		Fill:     func(i int, view fyne.CanvasObject) { view.(*rowView).set(p.rows[i]) },
		Height:   func(i int, _ float32) float32 { return p.rows[i].height(i == 0) },
		Inert:    func(i int) bool { return p.rows[i].spec == nil },
		Tip:      func(i int) string { return p.rows[i].tip() },
		Selected: func(i int) { p.about.show(p.rows[i].spec) },
		Chosen:   func(i int) { tell(p.config.Add, p.rows[i].spec.Type) },
		Escaped:  p.leave,
		Dragged:  func(i int, at fyne.Position) { p.dragged(p.config.Carry, i, at) },
		Dropped:  func(i int, at fyne.Position) { p.dragged(p.config.Drop, i, at) },
	})
	p.search = kit.NewSearch(lang.L("Add a node"), p.list, func(string) { p.build() })
	p.search.Escaped = p.escape
	head := kit.Pad(12, 12, p.search)
	p.whole = kit.Panel(container.NewBorder(head, p.about.object(), nil, nil, container.NewStack(p.list, p.empty)))
	p.build()
	return p
}

// Object returns the palette's canvas object, 232 dp wide.
func (p *Palette) Object() fyne.CanvasObject { return p.whole }

// SetSpecs shows other node types. The query stays.
func (p *Palette) SetSpecs(specs *doc.Specs) {
	p.config.Specs = specs
	p.build()
}

// Focus focuses the field on the palette's canvas and selects its text.
func (p *Palette) Focus(on fyne.Canvas) {
	p.build()
	on.Focus(p.search)
	p.search.TypedShortcut(&fyne.ShortcutSelectAll{})
}

// Used records that a node of a type was added. The type moves to the top when the list is
// next built: rows do not move while the user works with them.
func (p *Palette) Used(typ string) {
	p.recent = slices.DeleteFunc(p.recent, func(t string) bool { return t == typ })
	p.recent = slices.Insert(p.recent, 0, typ)
	p.recent = p.recent[:min(len(p.recent), recentTypes)]
}

// Recent returns the last used types, newest first, five at most.
func (p *Palette) Recent() []string { return slices.Clone(p.recent) }

// build makes the rows. During a search the best match is the current row, so that Enter adds
// it.
func (p *Palette) build() {
	query := p.search.Text
	p.rows = rowsOf(p.config.Specs, query, p.recent)
	p.list.SetCurrent(-1)
	p.list.Update()
	p.empty.Objects = nil
	switch {
	case p.config.Specs == nil:
		p.empty.Add(kit.Empty(lang.L("No nodes yet"), lang.L("The list of nodes is being loaded."), nil))
	case len(p.rows) == 0:
		p.empty.Add(kit.Empty(lang.L("Nothing found"), lang.L("No node is called like that. Try another word, or fewer letters."), nil))
	case query != "":
		p.list.SetCurrent(0)
		p.about.show(p.rows[0].spec)
		return
	}
	p.about.show(nil)
}

// escape clears the field first.
func (p *Palette) escape() {
	if p.search.Text == "" {
		p.leave()
		return
	}
	p.search.SetText("")
}

func (p *Palette) leave() {
	if p.config.Leave != nil {
		p.config.Leave()
	}
}

func (p *Palette) dragged(tell func(string, fyne.Position), i int, at fyne.Position) {
	if tell != nil && i < len(p.rows) && p.rows[i].spec != nil {
		tell(p.rows[i].spec.Type, at)
	}
}

func tell(whom func(string), typ string) {
	if whom != nil {
		whom(typ)
	}
}
