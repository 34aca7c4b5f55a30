package inspector_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

const priced = `{"id":"w","nodes":[{"id":"in","type":"io.input","config":{"name":"orders","type":"list<record{total:float,who:string}>"}},` +
	`{"id":"dear","type":"listops.filter","config":{"expression":"item.total > 2"}},{"id":"ask","type":"json.query","config":{"filter":"."}},` +
	`{"id":"fmt","type":"text.format","config":{"template":"Hello"}},{"id":"show","type":"io.output","config":{"name":"a"}}],` +
	`"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"dear","toPort":"list"},{"fromNodeId":"in","fromPort":"value","toNodeId":"ask","toPort":"value"}]}`

// rewrite types into a field that was emptied.
func (b *fixture) rewrite(port, text string) {
	b.t.Helper()
	b.write(port, "")
	test.Type(b.focus(port), text)
}

func TestNamesOfTypesAndValuesAreProposed(t *testing.T) {
	b := open(t, priced).node("dear")
	b.rewrite("expression", "item.")
	require.Contains(t, b.said(), "› total")
	require.Contains(t, b.said(), "float", "of the type, before anything has run")
	b.came = map[string]any{"list": []any{map[string]any{"total": 1.5, "paid": true}}}
	b.show()
	b.rewrite("expression", "item.p")
	require.Contains(t, b.said(), "› paid", "of what came in")
	uitest.Press(b.window, fyne.KeyReturn)
	require.Equal(t, "item.paid", b.config("dear", "expression"))
	require.NotContains(t, b.said(), "› ")

	test.Type(b.focus("expression"), " and item.")
	uitest.Press(b.window, fyne.KeyDown)
	require.Contains(t, b.said(), "› total")
	uitest.Press(b.window, fyne.KeyTab)
	require.Equal(t, "item.paid and item.total", b.config("dear", "expression"))

	test.Type(b.focus("expression"), " > vars.x + le")
	require.Contains(t, b.said(), "› len(")
	uitest.Press(b.window, fyne.KeyEscape)
	require.NotContains(t, b.said(), "› ")
	require.Zero(t, b.left, "the first Escape leaves the list only")
	uitest.Press(b.window, fyne.KeyEscape)
	require.Equal(t, 1, b.left)
}

func TestProposalsAreAskedForByKeys(t *testing.T) {
	b := open(t, priced).node("dear")
	b.write("expression", "")
	e := b.focus("expression")
	require.NotContains(t, b.said(), "› ")
	b.focused().(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.KeySpace, Modifier: fyne.KeyModifierControl})
	require.Contains(t, b.said(), "› index")
	uitest.Press(b.window, fyne.KeyDown, fyne.KeyReturn)
	require.Equal(t, "item", e.Text)
	require.Empty(t, b.keys, "it is not for the window")
}

func TestAProposalIsTakenByAClick(t *testing.T) {
	b := open(t, priced).node("ask")
	b.came = map[string]any{"value": map[string]any{"first name": "Ada", "b": 1}}
	b.show()
	b.rewrite("filter", ".f")
	for _, o := range shown[*kit.Touch](b) {
		o.Tapped(nil)
		break
	}
	require.Equal(t, `."first name"`, b.config("ask", "filter"))
	require.NotNil(t, b.focused(), "one goes on typing")
}

func TestThePreviewOfATextIsForTheChosenItem(t *testing.T) {
	b := open(t, priced).node("dear")
	require.Empty(t, b.evaluated, "nothing has come in")
	b.came = map[string]any{"list": []any{map[string]any{"total": 1.5}, map[string]any{"total": 3}}}
	b.show()
	last := func() map[string]any { return b.evaluated[len(b.evaluated)-1] }
	require.Equal(t, "listops.map", last()["type"], "what the expression gives, not what the filter does with it")
	require.Equal(t, map[string]any{"list": []any{map[string]any{"total": 1.5}}, "expression": "item.total > 2"}, last()["config"])
	b.answer(inspector.Outcome{Valid: true, Outputs: map[string]any{"result": []any{false}}})
	require.Contains(t, b.said(), "Gives false")
	require.Contains(t, b.said(), "Item 1 of 2")
	b.link("›")
	require.Equal(t, []any{map[string]any{"total": 3}}, last()["config"].(map[string]any)["list"])
	b.answer(inspector.Outcome{Valid: true, Outputs: map[string]any{"result": []any{true}}})
	require.Contains(t, b.said(), "Gives true")
	require.Contains(t, b.said(), "Item 2 of 2")

	stale := b.answer
	b.rewrite("expression", "index + 1")
	require.Len(t, last()["config"].(map[string]any)["list"], 2, "the place of the item counts")
	stale(inspector.Outcome{Valid: true, Outputs: map[string]any{"result": []any{"late"}}})
	require.NotContains(t, b.said(), "late", "of another text")
	b.answer(inspector.Outcome{Valid: true, Failure: "it fails"})
	require.Contains(t, b.said(), "it fails")
	b.answer(inspector.Outcome{})
	require.NotContains(t, b.said(), "it fails", "the problem says it")

	b.came = map[string]any{"value": map[string]any{"a": 1}}
	b.node("ask")
	require.Equal(t, map[string]any{"type": "json.query", "config": map[string]any{"value": map[string]any{"a": 1}, "filter": "."}}, last())
}

func TestTheCharacterAtFaultIsMarked(t *testing.T) {
	b := open(t, priced).node("dear")
	b.rewrite("expression", "item.total > wrong")
	b.validate()
	b.show()
	require.Contains(t, b.said(), "unknown name wrong")
	require.Contains(t, b.said(), "item.total > wrong\n             ▲")
	b.rewrite("expression", "item.total > 1")
	b.validate()
	b.show()
	require.NotContains(t, b.said(), "▲")

	b.node("fmt")
	b.rewrite("template", "Dear\n{name")
	b.validate()
	b.show()
	require.Contains(t, b.said(), "{name\n▲", "only the line at fault")
}

func TestAnExpressionReplacesAValue(t *testing.T) {
	b := open(t, priced).node("show")
	b.write("value", "before")
	b.link("Expression")
	id, ok := b.board.Selection.Sole()
	require.True(t, ok)
	n, _ := b.doc.Node(id)
	require.Equal(t, "json.query", n.Type)
	require.Equal(t, map[string]any{"filter": ".", "value": "before"}, n.Config)
	require.Equal(t, ".", inspector.EntryOf(b.focused().(fyne.CanvasObject)).Text, "to be written")
	b.node("show")
	require.Contains(t, b.said(), "‹from ")
}

func TestScriptsAreDrawn(t *testing.T) {
	b := openIn(t, theme.Dark, priced, 560).node("dear")
	b.came = map[string]any{"list": []any{map[string]any{"total": 1.5, "who": "Ada", "paid": true}}}
	b.show()
	b.rewrite("expression", "item.total > 2 and item.")
	b.answer(inspector.Outcome{Valid: true, Outputs: map[string]any{"result": []any{false}}})
	b.validate()
	b.show()
	b.requireImage("script")
}
