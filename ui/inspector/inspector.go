package inspector

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Config is what the inspector needs from its window. A nil func hides the controls that need
// it.
type Config struct {
	// PickFile lets the user choose a file and calls then, unless they cancel.
	PickFile func(then func(path string))
	// Accounts returns the references of the known accounts, such as "pronet:main". It is
	// called often and must be fast.
	Accounts func() []string
	// Connect lets the user connect an account of a network, "" for any, and calls then with
	// its reference, unless they cancel.
	Connect func(network string, then func(ref string))
	// Choices loads the values that an input of a node type can take for a config, and calls
	// then with them or an error.
	Choices func(typ, port string, config map[string]any, then func([]node.Choice, error))
	// Workflows returns the ids of the stored workflows. It is called often and must be fast.
	Workflows func() []string
	// Outputs returns the outputs of a node of the board's present level in the run that is
	// shown; nil if unknown.
	Outputs func(id string) map[string]any
	// Inputs returns the inputs of a node of the board's present level in the run that is
	// shown; nil if unknown. As long as they are the same, it returns the same map.
	Inputs func(id string) map[string]any
	// Evaluate computes the output of a node of a type with a config, to preview a text while
	// it is typed, and calls then, unless a newer call for the same field replaces it.
	Evaluate func(field, typ string, config map[string]any, then func(Outcome))
	// Through returns the values at an output of a node of the present level in the run that
	// is shown: a few lines, and a function for the whole text; nothing if they are unknown.
	Through func(id, port string) (lines []string, text func() string)
	// Copy copies a text to the clipboard.
	Copy func(text string)
	// OpenValue shows an output of a node in a larger view.
	OpenValue func(id, port string)
	// Changed is called after each change of the document, and when the inspector has changed
	// the selection.
	Changed func()
	// Enter enters the body of a container.
	Enter func(id string)
	// Refused is called with the error of an action that has no field to show it.
	Refused func(err error)
	// Leave is called when Escape is pressed in a field, to move the focus away.
	Leave func()
	// Shortcut is called with shortcuts that a field does not handle. Undo and redo are among
	// them: typing is part of the history of the document.
	Shortcut func(fyne.Shortcut)
}

// Inspector is the view. The zero value is not usable; see [New].
type Inspector struct {
	cfg    Config
	board  *board.Board
	scroll *container.Scroll
	root   fyne.CanvasObject

	page    page
	subject subject
	seen    sight
	open    map[string]bool // the folds that are open, by title

	// busy is true while a page is made or updated; again means that it must be updated once
	// more, and grown that something needs another height.
	busy, again, grown bool
}

// page shows one subject.
type page interface {
	object() *fyne.Container
	// update shows changes of the subject. It must not replace text that the user is typing.
	update()
	// focus focuses the field of an input and reports whether there is one.
	focus(port string) bool
}

// sight is everything that a page depends on. While it is equal, the page is up to date.
type sight struct {
	subject  subject
	revision int
	problems *doc.Problems
	readOnly bool
	marked   int // how many parts are selected
}

// New returns an inspector that is empty until [Inspector.Update].
func New(cfg Config) *Inspector {
	i := &Inspector{cfg: withDefaults(cfg), open: map[string]bool{}}
	i.scroll = container.NewVScroll(container.NewWithoutLayout())
	i.root = container.New(twice{}, i.scroll)
	return i
}

func withDefaults(cfg Config) Config {
	nothing := func() {}
	if cfg.Accounts == nil {
		cfg.Accounts = func() []string { return nil }
	}
	if cfg.Workflows == nil {
		cfg.Workflows = func() []string { return nil }
	}
	if cfg.Outputs == nil {
		cfg.Outputs = func(string) map[string]any { return nil }
	}
	if cfg.Inputs == nil {
		cfg.Inputs = func(string) map[string]any { return nil }
	}
	if cfg.Changed == nil {
		cfg.Changed = nothing
	}
	if cfg.Refused == nil {
		cfg.Refused = func(error) {}
	}
	if cfg.Leave == nil {
		cfg.Leave = nothing
	}
	if cfg.Shortcut == nil {
		cfg.Shortcut = func(fyne.Shortcut) {}
	}
	return cfg
}

// Object returns the inspector's canvas object.
func (i *Inspector) Object() fyne.CanvasObject { return i.root }

// Update shows the present state of the board. Call it after each change of the document, the
// selection or the problems, and while a run is in progress; it is cheap when nothing visible
// has changed. During a drag it does nothing.
func (i *Inspector) Update(board *board.Board) {
	if board.Busy() && i.board == board {
		return
	}
	i.board = board
	if i.busy { // a field that lost its focus has changed the document
		i.again = true
		return
	}
	i.busy = true
	defer func() { i.busy = false }()
	for i.again = true; i.again; {
		i.again = false
		i.sync()
	}
}

// sync makes a page for the present subject, or updates the page.
func (i *Inspector) sync() {
	now := i.look()
	if i.page == nil || now.subject != i.seen.subject {
		i.replace(now)
		return
	}
	if now != i.seen || now.subject.kind == many { // the number of selected parts may have changed
		i.seen = now
		i.page.update()
	}
	i.showRun()
	if i.grown {
		i.relayout()
	}
}

// showRun updates the page's part of the run.
func (i *Inspector) showRun() {
	if p, ok := i.page.(interface{ showOutputs() }); ok {
		p.showOutputs()
	}
}

// look returns the present sight.
func (i *Inspector) look() sight {
	b := i.board
	d := b.Document()
	s, marked := subjectOf(b)
	return sight{subject: s, revision: d.Revision(), problems: b.Problems(), readOnly: b.ReadOnly, marked: marked}
}

func (i *Inspector) replace(now sight) {
	i.unfocus(i.scroll.Content)
	if i.again {
		return // a field that lost its focus has changed the document; try again
	}
	i.seen, i.subject = now, now.subject
	now.subject.doc.Seal()
	i.page = i.newPage(now.subject)
	i.page.update()
	i.showRun()
	i.scroll.Content = i.page.object()
	i.scroll.Offset = fyne.Position{}
	i.relayout()
}

// unfocus takes the focus from an object that will be removed, which would get the typed keys
// otherwise.
func (i *Inspector) unfocus(part fyne.CanvasObject) {
	c := canvasOf(i.root)
	if c == nil || c.Focused() == nil {
		return
	}
	if o, ok := c.Focused().(fyne.CanvasObject); ok && contains(part, o) {
		c.Unfocus()
	}
}

// Focus moves the focus to the field of an input of the node; with "", to the first field.
// Without such a field it does nothing.
func (i *Inspector) Focus(port string) {
	if i.page != nil {
		i.page.focus(port)
	}
}

// focusOn focuses a widget.
func (i *Inspector) focusOn(w fyne.Focusable) {
	if c := canvasOf(i.root); c != nil {
		c.Focus(w)
	}
}

// reveal scrolls to the focused widget.
func (i *Inspector) reveal(o fyne.CanvasObject) {
	const around = 32 // the name above, the message below
	driver := fyne.CurrentApp().Driver()
	top := driver.AbsolutePositionForObject(o).Y - driver.AbsolutePositionForObject(i.scroll.Content).Y
	offset := i.scroll.Offset
	if low := top + o.Size().Height + around - i.scroll.Size().Height; offset.Y < low {
		offset.Y = low
	}
	if high := max(top-around, 0); offset.Y > high {
		offset.Y = high
	}
	if offset != i.scroll.Offset {
		i.scroll.ScrollToOffset(offset)
	}
}

// resized records that something needs another height.
func (i *Inspector) resized() {
	if i.grown = i.busy; !i.busy {
		i.relayout()
	}
}

// relayout lays out the page after parts were shown or hidden.
func (i *Inspector) relayout() {
	i.grown = false
	if i.page == nil {
		return
	}
	content := i.page.object()
	size := fyne.NewSize(i.scroll.Size().Width, 0)
	for range 2 { // texts know their height only after they got their width
		size.Height = content.MinSize().Height
		content.Layout.Layout(content.Objects, size)
	}
	i.scroll.Refresh()
}

func (i *Inspector) newPage(s subject) page {
	desk := &editor{Inspector: i, subject: s}
	switch s.kind {
	case aNode:
		return newNodePage(desk)
	case aNote:
		return newNotePage(desk)
	case aGroup:
		return newGroupPage(desk)
	case aWire:
		return newWirePage(desk)
	case many:
		return newManyPage(desk)
	case aWorkflow:
	}
	return newWorkflowPage(desk)
}
