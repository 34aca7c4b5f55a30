package ui

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/ui/ask"
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/commands"
	"github.com/svcflow/svc/ui/editing"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/workspace"
)

// Window is a window of the editor. Make the first one with [New]; further ones are made for
// tabs that are moved, and end with it. It belongs to Fyne's own goroutine.
type Window struct {
	*parts

	config  Config
	win     fyne.Window
	views   *views
	files   *fileCommands
	where   *hostCommands
	running *runCommands
	// containers are the node types with a body on this computer.
	containers []*node.Spec
	say        func(name string) string // translates names of node types
	hidden     bool                     // it is closed and empty; it may be opened again
}

// parts are what the window is made of behind its views.
type parts struct {
	jobs      *job.Runner
	workspace *workspace.Workspace
	hosts     *hosts.Hosts
	editing   *editing.EditCommands
	dialogs   *ask.Dialogs
	commands  *command.Set
	specs     *doc.Specs // the node types of the host
	windows   *windows

	*tab                             // the one in front
	tabs map[*workspace.Session]*tab // nil has that of the start page
}

// board returns the board of the canvas: that of the document, or of a past run; nil while
// nothing is open.
func (r *parts) board() *board.Board {
	if past := r.runs.Past(); past != nil {
		return past
	}
	if work := r.workspace.Active(); work != nil {
		return work.Board
	}
	return nil
}

// New makes the window with the start page. It fails if this computer cannot list its node
// types, or if the table of commands is wrong.
func New(c Config) (*Window, error) {
	if err := translate(); err != nil {
		return nil, err
	}
	say, err := wordsOf(c.Translations)
	if err != nil {
		return nil, err
	}
	all := &windows{oneMenu: command.Native()}
	w := &Window{config: c, say: say, parts: &parts{jobs: job.New(fyne.Do), windows: all}}
	all.landing = w.jobs.Latest(landing)
	types, err := c.Local.Backend.NodeTypes(w.jobs.Context())
	if err != nil {
		return nil, err
	}
	w.specs = w.known(types)
	w.containers = w.specs.Containers()
	c.App.Settings().SetTheme(settings{c.App.Preferences()}.theme())
	w.hosts = hosts.New(hosts.Config{
		Local: c.Local, Servers: c.Servers, Server: c.Server, User: all, Jobs: w.jobs,
		Switched: all.setHost, Changed: all.refresh, Lost: all.lost, Found: all.found,
	})
	all.used = w
	if err := w.build(workspace.New); err != nil {
		return nil, err
	}
	w.setHost(c.Local, w.specs)
	w.files.showStart()
	if c.Notice != "" {
		w.views.Tell(c.Notice, true)
	}
	return w, nil
}

// build makes the window with nothing open in it. on makes its workspace.
func (w *Window) build(on func(workspace.Config) *workspace.Workspace) error {
	chosen := settings{w.config.App.Preferences()}
	w.win = w.config.App.NewWindow("Svc")
	w.win.SetPadded(false)
	w.views = &views{parts: w.parts, settings: chosen, win: w.win, config: &w.config}
	w.files = &fileCommands{parts: w.parts, config: &w.config, views: w.views, close: w.close}
	w.where = &hostCommands{parts: w.parts, views: w.views}
	w.running = &runCommands{parts: w.parts, views: w.views}
	w.furnish(on)
	if err := w.enable(chosen); err != nil {
		return err
	}
	w.views.build(w.files, w.where, w.running)
	w.show()
	w.windows.all = append(w.windows.all, w)
	return nil
}

// furnish makes the parts.
func (w *Window) furnish(on func(workspace.Config) *workspace.Workspace) {
	w.dialogs = ask.New(ask.Config{
		Window: w.win, Back: w.views.Back, Place: func() string { return w.hosts.Here().Name() }, Copy: w.config.App.Clipboard().SetContent,
	})
	u := user{w.dialogs, w.views}
	specs := func() *doc.Specs { return w.specs }
	w.workspace = on(workspace.Config{
		User: u, Specs: specs, Drafts: w.config.Drafts, Recent: w.config.Recent, Tabs: w.config.Tabs, Jobs: w.jobs,
		Host: func() workspace.Host {
			here := w.hosts.Here()
			return workspace.Host{URL: here.URL, Store: here.Backend}
		},
		Reach: w.reach, Opened: w.begin, Activated: w.front, Closing: w.ending, Changed: w.views.Refresh, Checked: w.views.showProblems, NameOf: ask.NameOf,
		Moved: w.moveTab, Raise: w.raise, NewWindow: w.openAnother,
	})
	w.tabs = map[*workspace.Session]*tab{}
	w.begin(nil)
	w.tab = w.tabs[nil]
	w.editing = editing.New(editing.Config{
		View: w.views, Canvas: w.win.Canvas(), Clipboard: w.config.App.Clipboard(),
		Menu: func(kind scene.HitKind) *fyne.Menu {
			return w.commands.Menu(commands.MenuFor(kind, w.containers)...)
		},
	})
}

// enable makes the commands.
func (w *Window) enable(keys command.Keymap) (err error) {
	w.views.tabbing = &tabCommands{w.parts}
	w.views.panels = &panels{settings: w.views.settings, refresh: w.views.Refresh}
	w.views.looks = &themeCommands{settings: w.views.settings, app: w.config.App, views: w.views}
	table := w.table()
	for i := range table {
		if do := table[i].Do; do != nil {
			table[i].Do = func() {
				w.windows.use(w)
				do()
			}
		}
	}
	w.commands, err = command.New(table, keys)
	return err
}

func (w *Window) table() []command.Command {
	return commands.Table(commands.Ports{
		Files: w.files, Hosts: w.where, Edit: w.editing, Runs: w.running, View: w.views, Panels: w.views.panels, Looks: w.views.looks, Tabs: w.views.tabbing,
		Containers: w.containers,
	})
}

// show fills the window.
func (w *Window) show() {
	w.commands.OnMenu = w.showMenu
	w.showMenu()
	w.views.canvas.OnFocus = func() { w.windows.use(w) }
	w.commands.Install(w.win.Canvas())
	w.win.SetCloseIntercept(w.closing)
	w.win.SetOnDropped(func(_ fyne.Position, files []fyne.URI) {
		if len(files) > 0 {
			w.files.openFile(files[0].Path())
		}
	})
	const width, height = 1280, 800
	w.win.Resize(fyne.NewSize(width, height))
}

// known returns node types with translated names.
func (w *Window) known(types []*node.Spec) *doc.Specs {
	return doc.NewSpecs(types, cards.BoundPorts(w.config.Registry)).InLanguage(w.say)
}

// setHost updates the window after a switch to a host.
func (w *Window) setHost(place hosts.Host, specs *doc.Specs) {
	w.specs = specs
	for _, t := range w.tabs {
		t.runs.Forget()
	}
	w.workspace.SetSpecs(w.specs)
	w.views.setHost(place)
	if w.workspace.Active() == nil && w.views.panels.folded != nil { // the start page shows the name of the host
		w.files.showStart()
	}
	w.views.Refresh()
}

// Open opens a file, or a template: "template:NAME". An empty name shows the start page.
// Errors are shown in the window.
func (w *Window) Open(name string) { w.files.open(name) }

// Restore opens what was open when the program last ended, with unsaved changes. It reports
// whether anything was.
func (w *Window) Restore() bool { return w.workspace.Restore() }

// ShowAndRun shows the window and returns when it is closed and all its goroutines have
// ended.
func (w *Window) ShowAndRun() {
	last := takeLast(w.config.App.Lifecycle())
	w.win.ShowAndRun()
	last()
	w.windows.over.Store(true)
	w.workspace.Clear(true) // the system has ended the program without asking
	w.end()
}

// takeLast returns the toolkit's own shutdown after the last window. The program runs it
// itself: Fyne 2.7 queues it for a goroutine that may have read the queue for the last time,
// and then waits for ever.
func takeLast(cycle fyne.Lifecycle) (do func()) {
	c, ok := cycle.(interface {
		OnStopped() func()
		SetOnStoppedHookExecuted(func())
	})
	if !ok {
		return func() {}
	}
	last := c.OnStopped()
	cycle.SetOnStopped(nil)
	c.SetOnStoppedHookExecuted(nil)
	return func() {
		if last != nil {
			last()
		}
	}
}

// Quit closes the window without asking: unsaved changes are restored at the next start. It
// may be called from any goroutine.
func (w *Window) Quit() {
	fyne.Do(func() {
		if w.windows.over.Load() { // the toolkit handled the same signal already
			return
		}
		w.windows.over.Store(true)
		w.workspace.Clear(true)
		w.close()
	})
}

func (w *Window) close() {
	for _, o := range w.windows.all {
		o.win.SetCloseIntercept(nil)
	}
	w.windows.over.Store(true)
	// Not Close: the toolkit still sends mouse events to a closing window, and panics if one
	// of them changes the pointer.
	w.config.App.Driver().Quit()
}

// lastJobs limits how long background jobs may take to end with the window.
const lastJobs = 5 * time.Second

// end stops the background jobs and waits for them, for a limited time: while the toolkit
// shuts down, a goroutine that calls it may hang.
func (w *Window) end() {
	w.jobs.Close()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.jobs.Wait()
	}()
	patience := time.NewTimer(lastJobs)
	defer patience.Stop()
	select {
	case <-ended:
	case <-patience.C:
	}
	for _, o := range w.windows.all {
		o.views.opened.clear()
	}
}

// user connects the parts with the window's dialogs and messages.
type user struct {
	*ask.Dialogs

	views *views
}

// Say implements [workspace.User].
func (u user) Say(n workspace.Notice) {
	u.views.Tell(ask.Message(n), n.Of == workspace.CheckFailed)
	if n.Of == workspace.CheckFailed {
		u.views.hosts.Look()
	}
}

// Tell implements [job.Reporter].
func (u user) Tell(text string) { u.views.Tell(text, false) }

// Complain implements [job.Reporter] and [workspace.User].
func (u user) Complain(err error) { u.views.Complain(err) }

// untitled is the name of a workflow without a name.
func untitled() string { return lang.L("Untitled") }
