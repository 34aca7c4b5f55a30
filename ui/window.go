package ui

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/ui/accounts"
	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/command"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/outline"
	"github.com/svcflow/svc/ui/palette"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/session"
	"github.com/svcflow/svc/ui/start"
)

// Window is the window of the editor. Make one with [New]. It belongs to Fyne's own
// goroutine.
type Window struct {
	config   Config
	settings settings
	win      fyne.Window
	commands *command.Set

	place  Place // where workflows are kept and run
	specs  *doc.Specs
	desk   *desk  // what is edited; nil while the start page is shown before anything was opened
	shown  *shown // the run that is shown; nil if none
	title  string // of the window
	served string // the address of the server of this computer, while there is one

	// What the inspector offers, as it was when it was asked for last.
	references []string
	stored     []string

	canvas    *canvas.Canvas
	minimap   *canvas.Minimap
	stage     *stage
	top       *topBar
	status    *statusBar
	panels    *kit.Shell
	folded    *kit.Sides // how the window is divided when the start page is gone; nil while it is not shown
	left      *kit.Tabs
	side      *kit.Tabs
	bottom    *kit.Tabs
	palette   *palette.Palette
	outline   *outline.Outline
	inspector *inspector.Inspector
	runTab    *runview.RunTab
	problems  *outline.Problems
	timeline  *runview.Timeline
	output    *runview.Output
	history   *runview.Runs
	summary   *runview.Summary
	start     *start.Page
	accounts  *accounts.View

	checker *session.Latest
	checked int // the revision that was checked, or is being checked
	clock   context.CancelFunc

	escape func()          // what Escape does to the dialog that is open; nil if none is
	over   atomic.Bool     // the window is closed and nothing runs on its goroutine any more
	ctx    context.Context // of everything that goes on behind the window
	cancel context.CancelFunc
	jobs   sync.WaitGroup
}

// New makes the window, with the start page in it. Its error says that this computer
// does not tell its node types, or that the program's own commands are wrong.
func New(c Config) (*Window, error) {
	w := &Window{config: c, settings: settings{c.App.Preferences()}, place: c.Local, checked: unchecked}
	if err := translate(); err != nil {
		return nil, err
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	types, err := c.Local.Backend.NodeTypes(w.ctx)
	if err != nil {
		return nil, err
	}
	w.specs = doc.NewSpecs(types, cards.BoundPorts(c.Registry))
	w.commands, err = command.New(w.commandTable(), w.settings)
	if err != nil {
		return nil, err
	}
	c.App.Settings().SetTheme(w.settings.theme())
	w.checker = session.NewLatest(checkQuiet, fyne.Do)
	w.win = c.App.NewWindow("Svc")
	w.win.SetPadded(false)
	w.build()
	w.win.SetMainMenu(w.commands.MainMenu())
	w.commands.Install(w.win.Canvas())
	w.obeyEscape()
	w.win.SetCloseIntercept(w.quit)
	w.win.SetOnDropped(w.dropped)
	const width, height = 1280, 800
	w.win.Resize(fyne.NewSize(width, height))
	w.arrive(c.Local, types)
	w.showStart()
	if c.Notice != "" {
		w.status.tell(c.Notice, true)
	}
	return w, nil
}

// ShowAndRun shows the window and returns when it is closed. Then every goroutine of it
// has ended.
func (w *Window) ShowAndRun() {
	w.win.ShowAndRun()
	w.over.Store(true)
	w.dismiss(true) // the system has ended the program without asking
	w.end()
}

// Quit closes the window without asking: unsaved work is offered again when the program
// is started the next time. It may be called from any goroutine.
func (w *Window) Quit() {
	fyne.Do(func() {
		if w.over.Load() { // the toolkit has obeyed the same signal already
			return
		}
		w.dismiss(true)
		w.desk = nil
		w.close()
	})
}

func (w *Window) close() {
	w.forgetRun()
	w.win.SetCloseIntercept(nil)
	w.over.Store(true)
	// Not Close: the toolkit still hands events of the mouse to a window that closes, and
	// panics if one of them changes the pointer.
	w.config.App.Driver().Quit()
}

// lastJobs is how long what goes on behind the window may take to end.
const lastJobs = 5 * time.Second

// end ends what goes on behind the window, and waits for it. It does not wait for ever:
// while the toolkit ends, a goroutine that tells it something may hang.
func (w *Window) end() {
	w.cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.checker.Close()
		w.accounts.Close()
		w.history.Close()
		w.output.Close()
		w.accounts.Wait()
		w.jobs.Wait()
	}()
	patience := time.NewTimer(lastJobs)
	defer patience.Stop()
	select {
	case <-ended:
	case <-patience.C:
	}
}

// board returns what the canvas shows: the document, or a past run. There is none while
// nothing was opened.
func (w *Window) board() *board.Board {
	if past := w.past(); past != nil {
		return past
	}
	return w.desk.board
}

// begin shows a desk in place of the one that was left.
func (w *Window) begin(d *desk) {
	w.desk, w.checked = d, unchecked
	w.canvas.SetBoard(d.board)
	d.board.View.Open(d.doc.Bounds())
	w.showCanvas()
	w.learnNames()
	w.refresh()
	w.focusCanvas()
}

// focusCanvas gives the keyboard to the canvas.
func (w *Window) focusCanvas() {
	if w.desk != nil && w.canvas.Visible() && w.win.Canvas().Overlays().Top() == nil {
		w.win.Canvas().Focus(w.canvas)
	}
}

// dropped opens a file that was dragged into the window.
func (w *Window) dropped(_ fyne.Position, files []fyne.URI) {
	if len(files) > 0 {
		w.openFile(files[0].Path())
	}
}

// learnNames asks which accounts and workflows there are, for the fields that name them.
func (w *Window) learnNames() {
	place := w.place
	w.jobs.Go(func() {
		known, err := place.Accounts.Accounts(w.ctx)
		if err != nil {
			known = nil // the accounts themselves say why
		}
		stored, err := place.Backend.Workflows(w.ctx)
		if err != nil {
			stored = nil
		}
		fyne.Do(func() {
			if w.place.URL != place.URL || w.ctx.Err() != nil {
				return
			}
			w.references, w.stored = nil, nil
			for i := range known {
				w.references = append(w.references, string(known[i].Ref))
			}
			for i := range stored {
				w.stored = append(w.stored, stored[i].ID)
			}
		})
	})
}
