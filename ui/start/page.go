package start

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/kit"
)

// Template is a workflow to start with. Its name and description are translated if possible.
type Template struct {
	Name       string // passed to Config.OnTemplate
	Definition *workflow.Definition
}

// Recent is a recent workflow.
type Recent struct {
	documents.Entry

	// Missing means that its file was deleted.
	Missing bool
}

// Config is what a page needs. All functions are required.
type Config struct {
	Templates []Template
	// Specs are the node types that the templates are drawn with; nil if unknown.
	Specs *doc.Specs

	OnNew      func()
	OnOpen     func() // a file
	OnBrowse   func() // open a stored workflow
	OnTemplate func(name string)
	OnRecent   func(documents.Origin)
	OnForget   func(documents.Origin) // remove it from the list
	OnRestore  func(documents.OrphanDraft)
	OnDiscard  func(documents.OrphanDraft) // for good: ask first
}

// State is what a page shows in addition to its templates.
type State struct {
	// Place is the name of the host with the stored workflows, as in "Open from this
	// computer…".
	Place  string
	Recent []Recent // last opened first
	Drafts []documents.OrphanDraft
}

// Page is the start page. The zero value is not usable; see [New].
type Page struct {
	config  Config
	whole   *fyne.Container
	banners *fyne.Container
	actions *fyne.Container
	recent  *fyne.Container
}

// New returns a page without recent workflows, until Update.
func New(c Config) *Page {
	p := &Page{config: c, banners: kit.Column(8), actions: kit.Column(8), recent: kit.Column(0)}
	tiles := newTiles(c.Templates, c.Specs, c.OnTemplate)
	columns := &pageLayout{tiles: tiles.Layout.(*tileLayout)}
	columns.banners = container.NewVScroll(withBar(p.banners))
	columns.left = container.NewBorder(
		kit.Column(8, p.actions, heading(lang.L("Recent"))), nil, nil, nil, container.NewVScroll(p.recent),
	)
	columns.right = container.NewBorder(heading(lang.L("Templates")), nil, nil, nil, container.NewVScroll(withBar(tiles)))
	p.whole = container.New(columns, columns.banners, columns.left, columns.right)
	p.Update(State{})
	return p
}

// Object returns the page's canvas object.
func (p *Page) Object() fyne.CanvasObject { return p.whole }

// Update shows another state.
func (p *Page) Update(s State) {
	if s.Place == "" {
		s.Place = lang.L("this computer")
	}
	p.actions.Objects = []fyne.CanvasObject{
		newAction(fynetheme.ContentAddIcon(), lang.L("New workflow"), accent, p.config.OnNew),
		newAction(fynetheme.FolderOpenIcon(), lang.L("Open file…"), card, p.config.OnOpen),
		newAction(fynetheme.StorageIcon(), lang.L("Open from {{.Place}}…", map[string]any{"Place": s.Place}), card, p.config.OnBrowse),
	}
	p.banners.Objects = nil
	for _, left := range s.Drafts {
		p.banners.Objects = append(p.banners.Objects, p.banner(left))
	}
	p.recent.Objects = nil
	for _, r := range s.Recent {
		p.recent.Objects = append(p.recent.Objects, p.row(r))
	}
	if len(s.Recent) == 0 {
		p.recent.Add(kit.Pad(4, 8, kit.NewText(lang.L("What you open is listed here."), kit.Style{Size: kit.Secondary, Ink: kit.Dim, Cut: true})))
	}
	p.whole.Refresh()
}

// barRoom is the room for a scroll bar.
const barRoom = 12

func withBar(content fyne.CanvasObject) fyne.CanvasObject {
	return container.New(layout.NewCustomPaddedLayout(1, 1, 1, barRoom), content)
}

func heading(text string) fyne.CanvasObject {
	return kit.Pad(8, 0, kit.NewText(text, kit.Style{Size: kit.Title, Bold: true}))
}

// pageLayout puts the banners above two columns. The page has a maximum width and is centred.
type pageLayout struct {
	banners     *container.Scroll
	left, right fyne.CanvasObject
	tiles       *tileLayout
}

const (
	widest      = 1160
	pageMargin  = 24
	columnGap   = 32
	mostBanners = 148 // high: three of them
)

func (l *pageLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	width := min(size.Width, widest) - 2*pageMargin
	x, y := (size.Width-width)/2, float32(pageMargin)
	if high := min(l.banners.Content.MinSize().Height, mostBanners); high > 0 {
		l.banners.Show()
		l.banners.Move(fyne.NewPos(x, y))
		l.banners.Resize(fyne.NewSize(width+barRoom, high))
		y += high + 16
	} else {
		l.banners.Hide()
	}
	left := min(max(width*0.3, 220), 320)
	high := max(size.Height-y, 0)
	l.left.Move(fyne.NewPos(x, y))
	l.left.Resize(fyne.NewSize(left, high-pageMargin))
	l.right.Move(fyne.NewPos(x+left+columnGap, y))
	l.tiles.width = width - left - columnGap // their height depends on it
	l.right.Resize(fyne.NewSize(l.tiles.width+barRoom, high))
}

func (l *pageLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(560, 320) }
