package inspector_test

import (
	"flag"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/email"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

var update = flag.Bool("update", false, "write the golden files")

// fixture is an inspector in a window, with a document and notes of what it asked for.
type fixture struct {
	*inspector.Inspector

	t       testing.TB
	board   *board.Board
	doc     *doc.Document
	window  fyne.Window
	changed int
	refused []error
	entered []string
	// pick and connect are the answers of the window, which come when they are
	// called.
	pick    func(path string)
	network string
	connect func(ref string)
	outputs map[string]any
	came    map[string]any // into the node
	// evaluated are the questions what a text gives, and answer answers the last one.
	evaluated []map[string]any
	answer    func(inspector.Outcome)
	asked     []any // for choices
	choose    func([]node.Choice, error)
	left      int
	keys      []fyne.Shortcut
}

func registry(t testing.TB) *node.Registry {
	t.Helper()
	return uitest.Registry(t, email.New(email.Config{}))
}

// open shows a document.
func open(t testing.TB, text string) *fixture { return openIn(t, theme.Dark, text, 700) }

func openIn(t testing.TB, scheme theme.Scheme, text string, height float32) *fixture {
	t.Helper()
	uitest.App(t, scheme)
	b := &fixture{t: t, doc: doc.New(uitest.Definition(t, text), uitest.Specs(registry(t)))}
	b.board = board.New(b.doc, 800, 600)
	b.Inspector = inspector.New(inspector.Config{
		PickFile: func(then func(string)) { b.pick = then },
		Accounts: func() []string { return []string{"microblog:bot", "pronet:main", "pronet:work"} },
		Connect:  func(network string, then func(string)) { b.network, b.connect = network, then },
		Choices: func(typ, port string, config map[string]any, then func([]node.Choice, error)) {
			b.asked, b.choose = []any{typ, port, config}, then
		},
		Workflows: func() []string { return []string{"daily", "weekly"} },
		Outputs:   func(string) map[string]any { return b.outputs },
		Inputs:    func(string) map[string]any { return b.came },
		Evaluate: func(_, typ string, config map[string]any, then func(inspector.Outcome)) {
			b.evaluated, b.answer = append(b.evaluated, map[string]any{"type": typ, "config": config}), then
		},
		Changed: func() {
			b.changed++
			b.Update(b.board)
		},
		Enter:    func(id string) { b.entered = append(b.entered, id) },
		Refused:  func(err error) { b.refused = append(b.refused, err) },
		Leave:    func() { b.left++ },
		Shortcut: func(s fyne.Shortcut) { b.keys = append(b.keys, s) },
	})
	b.window = uitest.Window(t, kit.Panel(b.Object()), 320, height)
	b.show()
	return b
}

// pick selects and shows a node.
func (b *fixture) node(id string) *fixture {
	b.t.Helper()
	_, ok := b.doc.Node(id)
	require.True(b.t, ok, id)
	b.board.Selection.Replace(doc.Set{Nodes: []string{id}})
	return b.show()
}

func (b *fixture) show() *fixture {
	b.Update(b.board)
	return b
}

// config returns what a node of the document has for an input.
func (b *fixture) config(id, port string) any {
	n, ok := b.doc.Node(id)
	require.True(b.t, ok, id)
	return n.Config[port]
}

// seen returns all that is shown, in order; of widgets that are made of others, these
// too.
func (b *fixture) seen() (all []fyne.CanvasObject) {
	var walk func(o fyne.CanvasObject)
	walk = func(o fyne.CanvasObject) {
		if !o.Visible() {
			return
		}
		all = append(all, o)
		switch o := o.(type) {
		case *fyne.Container:
			for _, child := range o.Objects {
				walk(child)
			}
		case *container.Scroll:
			walk(o.Content)
		case *kit.Touch:
			for _, child := range test.WidgetRenderer(o).Objects() {
				walk(child)
			}
		}
	}
	walk(b.Object())
	return all
}

// shown returns all of a type that is shown, in order.
func shown[T any](b *fixture) (all []T) {
	for _, o := range b.seen() {
		if found, ok := o.(T); ok {
			all = append(all, found)
		}
	}
	return all
}

// texts returns all that is shown, in order.
func (b *fixture) texts() (all []string) {
	for _, o := range b.seen() {
		switch o := o.(type) {
		case interface{ Text() string }:
			all = append(all, o.Text())
		case *widget.RichText:
			all = append(all, o.String())
		case *kit.Button:
			all = append(all, o.Text)
		}
		if what, ok := inspector.IsGlyph(o); ok {
			all = append(all, what)
		}
	}
	return all
}

// focused returns the entry that has the keyboard.
func (b *fixture) focused() fyne.Focusable { return b.window.Canvas().Focused() }

// parts returns what is laid out of the field of an input, from its name to its
// control.
func (b *fixture) parts(port string) []fyne.CanvasObject {
	b.t.Helper()
	all := b.seen()
	for i, o := range all {
		if text, ok := o.(*kit.Text); !ok || text.Text() != port && text.Text() != port+" *" {
			continue
		}
		for k, o := range all[i:] {
			switch o.(type) {
			case *kit.Select, *kit.Check:
				return all[i : i+k+1]
			}
			if inspector.EntryOf(o) != nil {
				return all[i : i+k+1]
			}
		}
	}
	require.Fail(b.t, "no field", port)
	return nil
}

func (b *fixture) control(port string) fyne.CanvasObject {
	parts := b.parts(port)
	return parts[len(parts)-1]
}

func (b *fixture) entry(port string) *widget.Entry { return inspector.EntryOf(b.control(port)) }
func (b *fixture) menu(port string) *kit.Select    { return b.control(port).(*kit.Select) }
func (b *fixture) check(port string) *kit.Check    { return b.control(port).(*kit.Check) }
func (b *fixture) proposals(port string) []string  { return inspector.ProposalsOf(b.control(port)) }
func (b *fixture) write(port, text string)         { b.entry(port).SetText(text) }
func (b *fixture) said() string                    { return strings.Join(b.texts(), "\n") }

// focus goes to a field and returns its entry.
func (b *fixture) focus(port string) *widget.Entry {
	b.t.Helper()
	b.Focus(port)
	require.NotNil(b.t, b.focused())
	return inspector.EntryOf(b.focused().(fyne.CanvasObject))
}

// glyph returns the first small button among objects with that text or icon.
func glyph(all []fyne.CanvasObject, what string) fyne.Tappable {
	for _, o := range all {
		if is, ok := inspector.IsGlyph(o); ok && is == what {
			return o.(fyne.Tappable)
		}
	}
	return nil
}

func (b *fixture) canReset(port string) bool {
	return glyph(b.parts(port), string(fynetheme.IconNameContentUndo)) != nil
}

func (b *fixture) tapReset(port string) {
	b.t.Helper()
	all := b.seen()
	for i, o := range all {
		if text, ok := o.(*kit.Text); ok && (text.Text() == port || text.Text() == port+" *") {
			b.tap(all[i:], string(fynetheme.IconNameContentUndo))
			return
		}
	}
	require.Fail(b.t, "no field", port)
}

// tap taps a small button.
func (b *fixture) tap(all []fyne.CanvasObject, what string) {
	b.t.Helper()
	g := glyph(all, what)
	require.NotNil(b.t, g, what)
	g.Tapped(nil)
}

// link taps a small button with a text.
func (b *fixture) link(text string) {
	b.t.Helper()
	b.tap(b.seen(), text)
}

func (b *fixture) button(title string) *kit.Button {
	b.t.Helper()
	for _, w := range shown[*kit.Button](b) {
		if w.Text == title {
			return w
		}
	}
	require.Fail(b.t, "no button", title)
	return nil
}

// requireImage compares what the window shows with a golden picture.
func (b *fixture) requireImage(name string) {
	b.t.Helper()
	uitest.Golden(b.t, name, b.window.Canvas().Capture(), *update)
}

// swatch is a colour that can be chosen.
type swatch interface {
	fyne.Tappable
	fyne.Focusable
}

func (b *fixture) swatches() []swatch {
	return slices.DeleteFunc(shown[swatch](b), func(s swatch) bool { return !inspector.IsSwatch(s.(fyne.CanvasObject)) })
}

func (b *fixture) box(title string) *kit.Check {
	b.t.Helper()
	for _, c := range shown[*kit.Check](b) {
		if c.Text == title {
			return c
		}
	}
	require.Fail(b.t, "no check", title)
	return nil
}

func sorted(ids []string) []string { return slices.Sorted(slices.Values(ids)) }

// validate gives the board what the engine says about the document.
func (b *fixture) validate() {
	b.t.Helper()
	var errs engine.ValidationErrors
	_, err := engine.Compile(b.t.Context(), b.doc.Definition(), engine.Env{Registry: registry(b.t)})
	if err != nil {
		require.ErrorAs(b.t, err, &errs)
	}
	b.board.SetProblems(errs)
}
