package inspector_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/inspector"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

const taking = `{"id":"w","nodes":[{"id":"in","type":"io.input","config":{"name":"order","type":"any"}},` +
	`{"id":"len","type":"text.length"},{"id":"dear","type":"listops.filter","config":{"expression":""}},{"id":"ask","type":"json.query","config":{"filter":"."}},` +
	`{"id":"fmt","type":"text.format","config":{"template":"Hello, "}}],"connections":[{"fromNodeId":"in","fromPort":"value","toNodeId":"ask","toPort":"value"}]}`

// drop lets something go over the field of an input.
func (b *fixture) drop(port string, what inspector.Taken) {
	b.t.Helper()
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(b.control(port)).AddXY(4, 4)
	require.True(b.t, b.Over(at))
	require.True(b.t, b.Drop(what, at))
	b.show()
}

func (b *fixture) wires() []workflow.Connection { return b.doc.Connections()[1:] }

func TestAValueIsDroppedAsAWire(t *testing.T) {
	b := open(t, taking).node("len")
	require.False(t, b.Drop(inspector.Taken{Node: "in", Port: "value"}, fyne.NewPos(3, 3)), "beside the fields")
	b.drop("text", inspector.Taken{Node: "in", Port: "value"})
	require.Equal(t, []workflow.Connection{editortest.Conn("in", "value", "len", "text")}, b.wires())
	b.board.Undo()
	b.show()

	b.drop("text", inspector.Taken{Node: "in", Port: "value", Steps: []any{"items", 0, "first name"}})
	require.Len(t, b.doc.Nodes(), 6)
	made := b.doc.Nodes()[5]
	require.Equal(t, map[string]any{"filter": `.items[0]."first name"`}, made.Config)
	require.Equal(t, []workflow.Connection{editortest.Conn("in", "value", made.ID, "value"), editortest.Conn(made.ID, "result", "len", "text")}, b.wires())
	b.board.Undo()
	b.show()
	require.Len(t, b.doc.Nodes(), 5, "one step")

	b.drop("text", inspector.Taken{Node: "len", Port: "length"})
	require.ErrorContains(t, b.refused[0], "what it gives itself")
	require.Empty(t, b.wires())
}

func TestAValueIsDroppedIntoATextByItsName(t *testing.T) {
	b := open(t, taking).node("ask")
	b.write("filter", "")
	b.drop("filter", inspector.Taken{Node: "in", Port: "value", Steps: []any{"items", 1, "price"}})
	require.Equal(t, ".items[1].price", b.config("ask", "filter"))
	b.drop("filter", inspector.Taken{Node: "len", Port: "length"})
	require.ErrorContains(t, b.refused[0], "cannot speak of that", "vars takes records only")

	b.node("dear")
	b.drop("expression", inspector.Taken{Node: "in", Port: "value", Steps: []any{3, "price"}})
	require.Equal(t, "item.price", b.config("dear", "expression"))
	require.Equal(t, []workflow.Connection{editortest.Conn("in", "value", "dear", "list")}, b.wires(), "what the text is about is wired")

	b.node("fmt")
	b.write("template", "")
	b.drop("template", inspector.Taken{Node: "in", Port: "value", Steps: []any{"user", "name"}})
	require.Equal(t, "{name.user.name}", b.config("fmt", "template"))
	require.Contains(t, b.wires(), editortest.Conn("in", "value", "fmt", "name"))
	b.drop("template", inspector.Taken{Node: "in", Port: "value", Steps: []any{"total"}})
	require.Equal(t, "{name.user.name}{name.total}", b.config("fmt", "template"), "what is wired has a name")
	b.drop("template", inspector.Taken{Node: "in", Port: "value", Steps: []any{0}})
	require.Equal(t, "{name.user.name}{name.total}{in}", b.config("fmt", "template"))
	require.Equal(t, map[string]any{"filter": ".[0]"}, b.doc.Nodes()[5].Config, "templates name no items")
}
