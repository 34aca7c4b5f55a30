package ui

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/ui/documents"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/scene"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/uitest"
	"github.com/svcflow/svc/ui/workspace"
)

// precious is what nothing that the user does may lose, unless they say so.
const precious = "precious"

// sampled is which part of the actions is tried in each state.
const sampled = 16

func TestEverythingCanBeDoneInEveryState(t *testing.T) {
	sample := trials.Today(t)
	for name, enter := range situations() {
		t.Run(name, func(t *testing.T) {
			inWindow(t, func(t *testing.T, b *bench) {
				s := &situation{bench: b, again: func() {}}
				enter(s)
				actions := s.everything()
				for _, what := range sample.Of(name, slices.Collect(maps.Keys(actions)), sampled) {
					s.try(t, what, actions[what])
				}
				if s.server != nil {
					s.server.fail(nil)
				}
			})
		})
	}
}

// try does one thing, and makes sure that nothing is lost and that what was refused is
// said.
func (s *situation) try(t *testing.T, what string, do func()) {
	t.Helper()
	s.again()
	s.settle()
	refused := 0
	if s.server != nil {
		refused = s.server.refusals()
	}
	do()
	s.settle()
	time.Sleep(300 * time.Millisecond) //nolint:forbidigo // of the bubble; the document is checked meanwhile
	s.settle()
	if s.server != nil && s.server.refusals() > refused {
		require.True(t, s.said(), "%s was refused, and nobody is told", what)
	}
	s.leave(t, what)
	s.recover(t, what)
}

// said reports whether why the server refuses can be read somewhere in the window.
func (s *situation) said() bool {
	on := s.win.Canvas()
	texts := uitest.Texts(on.Content())
	for _, over := range on.Overlays().List() {
		texts = append(texts, uitest.Texts(over)...)
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		return slices.ContainsFunc([]error{errGone, errWrongKey, errForbidden}, func(err error) bool { return strings.Contains(text, err.Error()) })
	})
}

// leave leaves whatever lies over the window, by Escape alone.
func (s *situation) leave(t *testing.T, what string) {
	t.Helper()
	const deepest = 6
	for i := 0; i == 0 || i < deepest && (s.win.Canvas().Overlays().Top() != nil || s.views.canvas.Board().Busy()); i++ {
		s.escape()
	}
	require.Nil(t, s.win.Canvas().Overlays().Top(), "after %s something cannot be left by Escape", what)
	require.False(t, s.views.canvas.Board().Busy(), "after %s a gesture goes on", what)
}

// escape presses Escape as the toolkit tells of it.
func (s *situation) escape() {
	key := &fyne.KeyEvent{Name: fyne.KeyEscape}
	if focused := s.win.Canvas().Focused(); focused != nil {
		focused.TypedKey(key)
	} else {
		s.win.Canvas().OnTypedKey()(key)
	}
	s.settle()
}

// recover brings the document back to what it was, as a user could.
func (s *situation) recover(t *testing.T, what string) {
	t.Helper()
	s.running.Leave()
	s.settle()
	if s.mark == "" {
		s.workspace.Clear(false)
		s.settle()
		return
	}
	work := s.alone()
	require.NotNil(t, work, "%s has ended the work", what)
	for _, step := range []func(*board.Board) (string, bool){(*board.Board).Redo, (*board.Board).Undo} {
		for s.text() != s.mark {
			if _, more := step(work.Board); !more {
				break
			}
		}
	}
	require.Equal(t, s.mark, s.text(), "%s has lost something", what)
	require.NoError(t, work.Document.GoTo(nil))
	if !work.Document.Edited() {
		work.Document.MarkUnsaved() // what was saved may be left
	}
	s.views.Refresh()
	s.settle()
}

// alone closes the tabs that were opened besides that of the work, and shows it.
func (s *situation) alone() *workspace.Session {
	for _, o := range s.windows.all {
		if o.workspace.Active() != nil && s.precious == o.workspace.Active() {
			o.workspace.MoveTo(s.precious, s.workspace)
			s.settle()
		}
	}
	for _, w := range s.workspace.Sessions() {
		if s.precious != nil && w != s.precious && slices.Contains(s.workspace.Sessions(), s.precious) {
			w.Document.MarkSaved()
			s.workspace.Close(w)
			s.settle()
		}
	}
	if works := s.workspace.Sessions(); len(works) > 0 {
		s.workspace.Front(works[0])
		s.settle()
	}
	s.precious = s.workspace.Active()
	return s.precious
}

// text is the document that is worked on.
func (s *situation) text() string { return string(s.doc().Definition().AppendJSON(nil)) }

// spoilt returns a file that is no workflow.
func (s *situation) spoilt(name string) string {
	file := filepath.Join(s.dir, name)
	require.NoError(s.t, os.WriteFile(file, []byte(`{"id":"w",}`), 0o600))
	return file
}

// file opens a workflow that is in a file.
func (s *situation) file() string {
	file := filepath.Join(s.dir, "w.json")
	_, err := documents.WriteFile(file, stored("w"))
	require.NoError(s.t, err)
	s.Open(file)
	s.settle()
	return file
}

// work changes what is open, or a template, so that there is something to lose.
func (s *situation) work() {
	if s.workspace.Active() == nil {
		s.workspace.Open(workspace.FromDefinition(stored("greeting")))
		s.settle()
	}
	_, err := s.doc().AddNote(precious, geom.Point{X: 40, Y: 400})
	require.NoError(s.t, err)
	s.views.Refresh()
	s.wait(5 * time.Second)
	s.mark, s.precious = s.text(), s.workspace.Active()
}

// long runs something that does not end.
func (s *situation) long() {
	s.run("file.new")
	s.editing.AddAt("control.delay", s.board().View.Visible().Center())
	id := s.doc().Nodes()[0].ID
	require.NoError(s.t, s.doc().SetConfig(id, "ms", 3_600_000))
	require.NoError(s.t, s.doc().SetConfig(id, "value", "x"))
	s.work()
	s.again = func() { s.commands.Run("run.start") }
	s.again()
	s.wait(time.Second)
	require.True(s.t, s.runs.Running())
}

// away goes to a server.
func (s *situation) away() {
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: s.dir})
	require.NoError(s.t, err)
	a, err := app.New(app.Config{Env: env})
	require.NoError(s.t, err)
	s.closes(a)
	s.server = newFaulty(a)
	s.servers.places[elsewhere] = hosts.Host{URL: elsewhere, Backend: s.server, Accounts: noAccounts{}, Look: s.server.look}
	s.hosts.Connect(hosts.Address{URL: elsewhere}, nil)
	s.settle()
	require.Equal(s.t, elsewhere, s.hosts.Here().URL)
}

// everything is all that can be done in a window: the commands, as if they could be run
// always, tabs, menus, gestures and keys.
func (s *situation) everything() map[string]func() {
	all := map[string]func(){}
	for _, c := range s.table() {
		switch {
		case c.Do == nil, c.ID == "file.quit": // see below
		case strings.HasPrefix(c.ID, "theme.") && c.ID != "theme.dark": // all do the same, and draw everything anew
		default:
			all["command "+c.ID] = c.Do
		}
	}
	all["closing the window"] = s.files.Quit
	for name, tabs := range map[string]*kit.Tabs{"left": s.views.panels.left, "right": s.views.panels.right, "bottom": s.views.panels.bottom} {
		for tab := range 3 {
			all["tab "+name+string(rune('0'+tab))] = func() { tabs.Select(tab) }
		}
	}
	all["menu of a tab"] = func() { s.views.strip.OnMenu(0, fyne.NewPos(20, 80)) }
	all["a tab dragged out"] = func() { s.views.strip.OnOut(0) }
	for kind := range scene.HitNothing + 10 {
		all["context menu "+string(rune('0'+kind))] = func() {
			s.editing.Request(board.Request{Kind: board.RequestMenu, Hit: scene.Hit{Kind: kind}})
		}
	}
	for kind := range board.RequestTell + 1 {
		all["request "+string(rune('0'+kind))] = func() { s.editing.Request(board.Request{Kind: kind}) }
	}
	maps.Copy(all, s.gestures())
	for _, key := range []fyne.KeyName{
		fyne.KeyDelete, fyne.KeyBackspace, fyne.KeyReturn, fyne.KeyTab, fyne.KeyUp, fyne.KeyDown, fyne.KeyLeft, fyne.KeyRight,
		fyne.KeySpace, fyne.KeyF2, fyne.KeyF5, fyne.KeyF6, fyne.KeyF8, fyne.KeyEscape, fyne.KeyHome, fyne.KeyPageDown,
	} {
		all["key "+string(key)] = func() {
			if focused := s.win.Canvas().Focused(); focused != nil {
				focused.TypedKey(&fyne.KeyEvent{Name: key})
			} else {
				s.win.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: key})
			}
		}
	}
	return all
}

// gestures are what can be done with a mouse on the canvas.
func (s *situation) gestures() map[string]func() {
	far := fyne.NewPos(300, 300)
	return map[string]func(){
		"click":          func() { s.press(s.node()); s.release(s.node()) },
		"double click":   func() { s.press(s.node()); s.release(s.node()); s.press(s.node()); s.release(s.node()) },
		"click beside":   func() { s.press(fyne.NewPos(2, 2)); s.release(fyne.NewPos(2, 2)) },
		"drag a node":    func() { s.press(s.node()); s.drag(far); s.release(far) },
		"drag, no end":   func() { s.press(s.node()); s.drag(far) },
		"marquee":        func() { s.press(fyne.NewPos(2, 2)); s.drag(far); s.release(far) },
		"draw a wire":    func() { s.press(s.port()); s.drag(far); s.release(far) },
		"wire, no end":   func() { s.press(s.port()); s.drag(far) },
		"wheel":          func() { s.views.canvas.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 25)}) },
		"wheel sideways": func() { s.views.canvas.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(25, 0)}) },
		"carry a node":   func() { s.views.paletteConfig().Carry("text.split", far) },
		"drop a node": func() {
			s.views.paletteConfig().Carry("text.split", far)
			s.views.paletteConfig().Drop("text.split", far)
		},
		"other button": func() {
			e := &desktop.MouseEvent{Button: desktop.MouseButtonSecondary, PointEvent: fyne.PointEvent{Position: s.node()}}
			s.views.canvas.MouseDown(e)
			s.views.canvas.MouseUp(e)
		},
	}
}

// node is where the first node is on the canvas; somewhere if there is none.
func (s *situation) node() fyne.Position {
	b := s.views.canvas.Board()
	cards := b.Document().Cards()
	if len(cards) == 0 {
		return fyne.NewPos(50, 50)
	}
	at := b.View.ToScreen(cards[0].Rect.Center())
	return fyne.NewPos(float32(at.X), float32(at.Y))
}

// port is where the first output port of the first node is on the canvas.
func (s *situation) port() fyne.Position {
	b := s.views.canvas.Board()
	for i := range b.Document().Cards() {
		id := b.Document().Cards()[i].Node.ID
		for _, ref := range b.Ports(id) {
			if anchor, ok := b.Scene().Anchor(ref); ok && ref.Output {
				at := b.View.ToScreen(anchor.At)
				return fyne.NewPos(float32(at.X), float32(at.Y))
			}
		}
	}
	return fyne.NewPos(50, 50)
}

func (s *situation) press(at fyne.Position) {
	if !s.views.stage.work.Visible() {
		return
	}
	s.views.canvas.MouseDown(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary, PointEvent: fyne.PointEvent{Position: at}})
}

func (s *situation) drag(to fyne.Position) {
	s.views.canvas.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: to}})
}

func (s *situation) release(at fyne.Position) {
	s.views.canvas.MouseUp(&desktop.MouseEvent{Button: desktop.MouseButtonPrimary, PointEvent: fyne.PointEvent{Position: at}})
	s.views.canvas.DragEnd()
}
