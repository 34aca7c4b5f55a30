package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestWiresWithoutData(t *testing.T) {
	out, in := editortest.Out, editortest.In
	d := editortest.Open(t, editortest.Mixed)
	require.NoError(t, d.Connect(out("s", "$done"), in("enc", "$after")))
	require.NoError(t, d.Connect(out("s", "value"), in("enc", "$after")), "it takes any number of wires")
	require.ErrorIs(t, d.Connect(out("s", "$done"), in("enc", "$after")), doc.ErrIllegalWire, "but each once")
	require.ErrorIs(t, d.Connect(out("enc", "$done"), in("s", "$after")), doc.ErrIllegalWire, "a run begins at an input")
	require.ErrorIs(t, d.Connect(out("s", "$error"), in("enc", "$when")), doc.ErrIllegalWire, "it wants a bool")
	require.NoError(t, d.Connect(out("s", "$done"), in("enc", "$when")))
	j, err := d.Judge(in("enc", "$when"), nil)
	require.NoError(t, err)
	require.True(t, j.Verdict(out("s", "value")).Replaces || !j.Verdict(out("s", "value")).Legal(), "and one wire")
	require.ErrorIs(t, d.Connect(out("enc", "$done"), in("enc", "$after")), doc.ErrIllegalWire)
}

// TestOrderSurvivesEdits proves that the order of nodes stays when nodes between are
// inserted, removed or collapsed.
func TestOrderSurvivesEdits(t *testing.T) {
	out, in := editortest.Out, editortest.In
	d := editortest.Open(t, editortest.Chain)
	ordered := func() []workflow.Connection {
		var wires []workflow.Connection
		for _, c := range d.Connections() {
			if cards.IsControl(c.ToPort) {
				wires = append(wires, c)
			}
		}
		return wires
	}
	require.NoError(t, d.Disconnect(d.Connections()...))
	require.NoError(t, d.Connect(out("up", "$done"), in("fmt", "$after")))
	id, err := d.InsertNew("text.transform", geom.Point{}, ordered()[0])
	require.NoError(t, err)
	require.Equal(t, []workflow.Connection{
		editortest.Conn("up", "$done", id, "$after"), editortest.Conn(id, "$done", "fmt", "$after"),
	}, ordered())

	require.NoError(t, d.Replace(id, "text.slice"))
	require.Len(t, ordered(), 2, "another type has the same ports")

	made, err := d.Collapse("control.subworkflow", id)
	require.NoError(t, err)
	body, _ := d.Node(made)
	require.NotNil(t, body.Body)
	for _, c := range d.Connections() {
		require.False(t, c.ToNodeID == made && cards.IsControl(c.ToPort))
	}
	_, undone := d.Undo()
	require.True(t, undone)

	require.NoError(t, d.DeleteReconnect(id))
	require.Equal(t, []workflow.Connection{editortest.Conn("up", "$done", "fmt", "$after")}, ordered())

	partners, err := d.Partners(out("up", "$done"), "slice")
	require.NoError(t, err)
	require.Equal(t, "$after", partners[0].Port)
}

// TestExpandKeepsTheOrder: the first nodes of a body wait for what their container
// waited for, and what waited for the container waits for the last.
func TestExpandKeepsTheOrder(t *testing.T) {
	out, in := editortest.Out, editortest.In
	d := editortest.Open(t, editortest.Chain)
	made, err := d.Collapse("control.subworkflow", "fmt")
	require.NoError(t, err)
	first, err := d.Add("control.value", geom.Point{})
	require.NoError(t, err)
	last, err := d.Add("control.value", geom.Point{})
	require.NoError(t, err)
	require.NoError(t, d.Connect(out(first, "$done"), in(made, "$after")))
	require.NoError(t, d.Connect(out(made, "$done"), in(last, "$after")))
	set, err := d.Expand(made)
	require.NoError(t, err)
	require.Len(t, set.Nodes, 1)
	require.Contains(t, d.Connections(), editortest.Conn(first, "$done", set.Nodes[0], "$after"))
	require.Contains(t, d.Connections(), editortest.Conn(set.Nodes[0], "$done", last, "$after"))
}

// TestExpandLosesNoHandler proves that the handler of a container's failure keeps the
// container from being expanded.
func TestExpandLosesNoHandler(t *testing.T) {
	out, in := editortest.Out, editortest.In
	d := editortest.Open(t, editortest.Chain)
	made, err := d.Collapse("control.subworkflow", "fmt")
	require.NoError(t, err)
	handler, err := d.Add("control.value", geom.Point{})
	require.NoError(t, err)
	require.NoError(t, d.Connect(out(made, "$error"), in(handler, "$after")))
	before := d.Connections()
	_, err = d.Expand(made)
	require.ErrorIs(t, err, doc.ErrHandled)
	require.Equal(t, before, d.Connections())
}
