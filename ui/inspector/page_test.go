package inspector_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/theme"
)

func TestEveryNodeTypeHasAPageThatFits(t *testing.T) {
	b := open(t, `{"id":"all","nodes":[],"connections":[]}`)
	all := b.doc.Specs().All()
	require.Greater(t, len(all), 60)
	for _, spec := range all {
		id, err := b.doc.Add(spec.Type, geom.Point{})
		require.NoError(t, err)
		b.node(id)
		for _, title := range []string{"Advanced", "Outputs"} {
			b.unfold(title)
		}
		for _, port := range spec.Inputs {
			require.NotNil(t, b.control(port.Name), "%s.%s", spec.Type, port.Name)
		}
		require.LessOrEqual(t, b.Object().MinSize().Width, float32(320), spec.Type)
		require.Contains(t, b.said(), spec.Type+" · "+id)
	}
}

// unfold opens a fold if it is not open.
func (b *fixture) unfold(title string) {
	b.t.Helper()
	all := b.seen()
	for i, o := range all {
		if text, ok := o.(interface{ Text() string }); ok && text.Text() == title {
			if g := glyph(all[i:], string(fynetheme.IconNameMenuExpand)); g != nil {
				g.Tapped(nil)
			}
			return
		}
	}
	require.Fail(b.t, "no fold", title)
}

func TestWiredInput(t *testing.T) {
	b := open(t, demo).node("send")
	require.Contains(t, b.said(), "‹from Format.result›")
	b.tap(b.seen(), string(fynetheme.IconNameContentClear))
	require.Len(t, b.doc.Connections(), 1)
	require.NotNil(t, b.entry("message"), "it can be typed now")
	b.board.Undo()
	b.show()
	require.Contains(t, b.said(), "‹from Format.result›")
	b.tap(b.seen(), string(fynetheme.IconNameSearch))
	require.True(t, b.board.Selection.Node("fmt"))
	require.Contains(t, b.said(), "text.format · fmt")
}

func TestProblems(t *testing.T) {
	b := open(t, demo).node("send")
	require.NotContains(t, b.said(), "Required")
	b.board.SetProblems(engine.ValidationErrors{
		{Code: engine.CodeMissingRequiredInput, NodeID: "send", Port: "recipient_id", Message: "it is missing"},
		{Code: engine.CodeInvalidConfig, NodeID: "filter", Port: "expression", Message: "line 1, column 13: unexpected end", Hint: "Compare with ==."},
		{Code: engine.CodeUnknownNodeType, NodeID: "what", Message: "there is no such type"},
		{Code: engine.CodeTypeMismatch, NodeID: "send", Port: "message", Connection: new(int), Message: "the types differ"},
	})
	b.show()
	require.Contains(t, b.said(), "Required: connect a wire or type a value")
	require.Contains(t, b.said(), "the types differ")
	b.node("filter")
	require.Contains(t, b.said(), "line 1, column 13: unexpected end\nCompare with ==.")
	b.node("what")
	require.Contains(t, b.said(), "there is no such type")
	b.board.Selection.Replace(doc.Set{Wires: b.doc.Connections()[:1]})
	b.show()
	require.Contains(t, b.said(), "the types differ")
	b.board.SetProblems(nil)
	b.show()
	require.NotContains(t, b.said(), "the types differ")
}

func TestProblemsThatTheEngineFinds(t *testing.T) {
	b := open(t, demo)
	b.validate()
	b.node("send")
	require.Contains(t, b.said(), "Required: connect a wire or type a value")
	b.node("filter")
	require.Regexp(t, "(?i)expression|unexpected", b.said())
	require.NotContains(t, b.said(), "The expression;", "what is wrong takes the place of the hint")
	require.NoError(t, b.doc.ClearConfig("filter", "expression"))
	b.validate()
	b.show()
	require.Contains(t, b.said(), "Required: type a value")
}

func TestLabel(t *testing.T) {
	b := open(t, demo).node("send")
	b.tap(b.seen(), string(fynetheme.IconNameDocumentCreate))
	test.Type(b.focused(), "Thank them")
	n, _ := b.doc.Node("send")
	require.Equal(t, "Thank them", n.Label)
	b.window.Canvas().Unfocus()
	require.Contains(t, b.said(), "Thank them")
	b.board.Undo()
	b.show()
	require.Contains(t, b.said(), "Send a message", "all of the typing was one step")
}

func TestSettings(t *testing.T) {
	b := open(t, demo).node("send")
	b.unfold("Advanced")
	require.Equal(t, "5000", b.entry("Timeout").Text)
	b.write("Timeout", "")
	b.write("Attempts", "5")
	b.write("First pause", "100")
	b.write("Factor", "1.5")
	n, _ := b.doc.Node("send")
	require.Zero(t, n.TimeoutMs)
	require.Equal(t, &workflow.Retry{MaxAttempts: 5, InitialMs: 100, Factor: 1.5}, n.Retry)
	require.Equal(t, "default: 30000", b.entry("Timeout").PlaceHolder)

	b.write("Attempts", "0")
	require.Contains(t, b.said(), "Type a whole number of at least 1.")
	b.write("Attempts", "")
	n, _ = b.doc.Node("send")
	require.Nil(t, n.Retry)
	require.NotContains(t, b.said(), "First pause")

	b.box("Disabled: skip this node").SetChecked(true)
	n, _ = b.doc.Node("send")
	require.True(t, n.Disabled)
	require.Empty(t, b.refused)
}

func TestRename(t *testing.T) {
	b := open(t, demo).node("send")
	b.unfold("Advanced")
	b.write("Id", "fmt")
	b.entry("Id").OnSubmitted("fmt")
	require.Contains(t, b.said(), "Another node has this id.")
	b.write("Id", "thank")
	_, ok := b.doc.Node("send")
	require.True(t, ok, "not while the user types")
	b.entry("Id").OnSubmitted("thank")
	require.True(t, b.board.Selection.Node("thank"))
	require.Contains(t, b.said(), "pronet.send_message · thank")
	require.Equal(t, "thank", b.doc.Connections()[0].ToNodeID)

	// The other way to be done: to go elsewhere.
	b.window.Canvas().Focus(b.control("Id").(fyne.Focusable))
	b.write("Id", "again")
	b.board.Selection.Replace(doc.Set{Nodes: []string{"mail"}})
	b.show()
	_, ok = b.doc.Node("again")
	require.True(t, ok)
	require.True(t, b.board.Selection.Node("mail"), "what was selected stays so")
	require.Contains(t, b.said(), "email.send_email · mail")
}

func TestContainer(t *testing.T) {
	b := open(t, demo).node("loop")
	b.button("Open body").OnTapped()
	require.Equal(t, []string{"loop"}, b.entered)
	require.NoError(t, b.doc.Enter("loop"))
	b.board.Selection.Clear()
	b.show()
	require.Contains(t, b.said(), "Body of loop")
}

func TestReplacedType(t *testing.T) {
	b := open(t, demo).node("cut")
	require.NoError(t, b.doc.Replace("cut", "text.replace"))
	b.show()
	require.Contains(t, b.said(), "text.replace · cut")
	require.NotNil(t, b.entry("replacement"))
}

func TestLastOutputs(t *testing.T) {
	b := open(t, demo).node("send")
	require.NotContains(t, b.said(), "Last outputs")
	b.outputs = map[string]any{"message_id": "urn:81", "success": true}
	b.show()
	require.Contains(t, b.said(), `"message_id": "urn:81"`)
	b.outputs = map[string]any{"message_id": string(make([]byte, 10_000))}
	b.show()
	require.Contains(t, b.said(), "Too large to show here")
}

func TestWorkflow(t *testing.T) {
	b := open(t, demo)
	require.Contains(t, b.said(), "12 nodes, 2 wires")
	require.Contains(t, b.said(), "What to search for.")
	b.write("Name", "Thank you")
	b.write("Description", "")
	require.Equal(t, "Thank you", b.doc.Name())
	require.Empty(t, b.doc.Definition().Description)
	b.link("term")
	require.Contains(t, b.said(), "io.input · term")
}

func TestNoteGroupWireAndMany(t *testing.T) {
	b := open(t, demo)
	b.board.Selection.Replace(doc.Set{Notes: []string{"n"}})
	b.show().write("Text", "Or not")
	require.Equal(t, "Or not", b.doc.Notes()[0].Text)

	b.board.Selection.Replace(doc.Set{Groups: []string{"g"}})
	b.show()
	test.Type(b.focus(""), "Writers")
	require.Equal(t, "Writers", b.doc.Groups()[0].Label, "what is typed at once replaces the name")
	b.write("Label", "Authors")
	require.Equal(t, "Authors", b.doc.Groups()[0].Label)
	require.Contains(t, b.said(), "2 nodes")
	b.link("Ungroup")
	require.Empty(t, b.doc.Groups())
	require.Contains(t, b.said(), "Workflow", "what is gone is not shown")

	b.board.Selection.Replace(doc.Set{Wires: b.doc.Connections()[:1]})
	b.show()
	require.Contains(t, b.said(), "Format.result")
	require.Contains(t, b.said(), "Send a message.message")
	b.link("Disconnect")
	require.Len(t, b.doc.Connections(), 1)

	b.board.Selection.Replace(doc.Set{Nodes: []string{"cut", "mail"}, Notes: []string{"n"}})
	b.show()
	require.Contains(t, b.said(), "2 nodes, 1 notes")
	b.box("Disabled: skip these nodes").SetChecked(true)
	n, _ := b.doc.Node("cut")
	require.True(t, n.Disabled)
	b.link("Group")
	require.Equal(t, []string{"cut", "mail"}, sorted(b.doc.Groups()[0].NodeIDs))
	require.Empty(t, b.refused)
}

func TestColours(t *testing.T) {
	b := open(t, demo)
	b.board.Selection.Replace(doc.Set{Notes: []string{"n"}})
	b.show()
	swatches := b.swatches()
	require.Len(t, swatches, 8)
	swatches[0].Tapped(nil)
	require.Empty(t, b.doc.Notes()[0].Color)
	swatches[3].TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	require.Equal(t, "#D65A7B", b.doc.Notes()[0].Color)
	require.NoError(t, b.doc.SetNoteColor("n", "#123456"))
	b.show()
	require.Len(t, b.swatches(), 9, "a colour of the user's own is shown, too")
}

func TestAnUnchangedPageIsNotRebuilt(t *testing.T) {
	b := open(t, demo).node("send")
	before := b.control("recipient_id")
	allocs := testing.AllocsPerRun(10, func() { b.show() })
	require.Less(t, allocs, 40.0)
	require.Same(t, before, b.control("recipient_id"))
}

func TestThemeChangesWhileShown(t *testing.T) {
	b := open(t, demo).node("send")
	b.board.SetProblems(engine.ValidationErrors{{Code: engine.CodeMissingRequiredInput, NodeID: "send", Port: "recipient_id"}})
	b.show()
	b.window.Canvas().Capture()
	test.ApplyTheme(t, theme.New(theme.Light))
	b.requireImage("send-light")
}

func TestGoldens(t *testing.T) {
	for name, scheme := range map[string]theme.Scheme{"dark": theme.Dark, "light": theme.Light, "contrast": theme.HighContrast} {
		t.Run(name, func(t *testing.T) {
			b := openIn(t, scheme, demo, 700).node("send")
			b.board.SetProblems(engine.ValidationErrors{{Code: engine.CodeMissingRequiredInput, NodeID: "send", Port: "recipient_id"}})
			b.show()
			b.requireImage("send-" + name)
		})
	}
}

func TestUpdateWaitsForTheEndOfAGesture(t *testing.T) {
	b := open(t, demo).node("send")
	b.board.StartWire(cards.PortRef{Node: "cut", Port: "parts", Output: true})
	b.board.Selection.Replace(doc.Set{Nodes: []string{"mail"}})
	b.show()
	require.Contains(t, b.said(), "pronet.send_message · send")
	b.board.Cancel()
	b.show()
	require.Contains(t, b.said(), "email.send_email · mail")
}
