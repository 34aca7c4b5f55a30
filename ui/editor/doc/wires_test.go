package doc_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
	"github.com/svcflow/svc/ui/uitest/editortest"
)

func TestVerdict(t *testing.T) {
	tests := []struct {
		name     string
		from, to cards.PortRef
		fit      value.Fit
		reason   string
	}{
		{"same type", editortest.Out("s", "value"), editortest.In("enc", "text"), value.Fits, ""},
		{"from the input", editortest.In("enc", "text"), editortest.Out("s", "value"), value.Fits, ""},
		{"any is checked", editortest.Out("any", "value"), editortest.In("enc", "text"), value.Checked, ""},
		{"string into enum", editortest.Out("s", "value"), editortest.In("enc", "format"), value.Checked, ""},
		{"string into credential", editortest.Out("s", "value"), editortest.In("search", "credential"), value.Checked, ""},
		{"list as it is", editortest.Out("l", "value"), editortest.In("join", "parts"), value.Fits, ""},
		{"one item", editortest.Out("s", "value"), editortest.In("join", "parts"), value.Fits, ""},
		{"error port", editortest.Out("s", "$error"), editortest.In("what", "in"), value.Fits, ""},
		{"types", editortest.Out("n", "value"), editortest.In("enc", "text"), 0, "int does not fit into string"},
		{"list into scalar", editortest.Out("l", "value"), editortest.In("enc", "text"), 0, "list<string> does not fit into string"},
		{"two outputs", editortest.Out("s", "value"), editortest.Out("n", "value"), 0, "both are outputs: a wire leads from an output to an input"},
		{"two inputs", editortest.In("enc", "text"), editortest.In("len", "text"), 0, "both are inputs: a wire leads from an output to an input"},
		{"itself", editortest.Out("enc", "text"), editortest.In("enc", "text"), 0, "a node cannot be connected to itself"},
		{"cycle", editortest.Out("len", "length"), editortest.In("enc", "text"), 0, "this would close a cycle; to repeat nodes, put them into a loop"},
		{"cycle, from the input", editortest.In("enc", "text"), editortest.Out("len", "length"), 0, "this would close a cycle; to repeat nodes, put them into a loop"},
		{"setting", editortest.Out("s", "value"), editortest.In("s", "name"), 0, "a node cannot be connected to itself"},
		{"setting of another", editortest.Out("s", "value"), editortest.In("n", "name"), 0, `"name" takes its value from the node's settings only`},
		{"again", editortest.Out("enc", "text"), editortest.In("len", "text"), 0, "they are connected already"},
		{"no such port", editortest.Out("s", "value"), editortest.In("enc", "none"), 0, `node "enc" has no port "none"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := editortest.Open(t, editortest.Mixed)
			j, err := d.Judge(test.from, nil)
			require.NoError(t, err)
			v := j.Verdict(test.to)
			require.Equal(t, test.reason, v.Reason)
			require.Equal(t, test.fit, v.Fit)
			require.Equal(t, v.Legal(), d.Connect(test.from, test.to) == nil, "Connect agrees")
		})
	}
}

func TestSecondWireIntoList(t *testing.T) {
	d := editortest.Open(t, editortest.Mixed)
	require.NoError(t, d.Connect(editortest.Out("l", "value"), editortest.In("join", "parts")))
	err := d.Connect(editortest.Out("s", "value"), editortest.In("join", "parts"))
	require.ErrorIs(t, err, doc.ErrIllegalWire)
	require.ErrorContains(t, err, "the first brings a whole list")

	d = editortest.Open(t, editortest.Mixed)
	for range 3 {
		require.NoError(t, d.Connect(editortest.Out("s", "value"), editortest.In("join", "parts")), "repeated wires are fine in lists")
	}
	require.Equal(t, 3, wiresInto(d, "join", "parts"))
	require.NoError(t, d.Disconnect(editortest.Conn("s", "value", "join", "parts")))
	require.Equal(t, 2, wiresInto(d, "join", "parts"), "one at a time")
}

func TestReconnectKeepsTheOrderOfWires(t *testing.T) {
	d := editortest.Open(t, editortest.Mixed)
	require.NoError(t, d.Reconnect(editortest.Conn("enc", "text", "len", "text"), editortest.Out("s", "value")))
	require.Equal(t, editortest.Conn("s", "value", "len", "text"), d.Connections()[0])
	require.NoError(t, d.Reconnect(editortest.Conn("s", "value", "len", "text"), editortest.In("enc", "text")))
	require.Equal(t, editortest.Conn("s", "value", "enc", "text"), d.Connections()[0])
	require.NoError(t, d.Connect(editortest.Out("any", "value"), editortest.In("len", "text")))
	require.NoError(t, d.Reconnect(editortest.Conn("any", "value", "len", "text"), editortest.In("enc", "text")), "replaces the wire that is there")
	require.Equal(t, []workflow.Connection{editortest.Conn("l", "value", "what", "in"), editortest.Conn("any", "value", "enc", "text")}, d.Connections())
	require.ErrorIs(t, d.Reconnect(editortest.Conn("gone", "x", "y", "z"), editortest.In("enc", "text")), doc.ErrIllegalWire)
}

func TestReplaceKeepsWiresAndSettings(t *testing.T) {
	d := editortest.Open(t, editortest.Greet)
	require.NoError(t, d.SetConfig("fmt", "text", "kept where the new type has it"))
	require.NoError(t, d.Replace("fmt", "text.encode"))
	n, _ := d.Node("fmt")
	require.Equal(t, map[string]any{"text": "kept where the new type has it"}, n.Config)
	require.Equal(t, []workflow.Connection{editortest.Conn("who", "value", "fmt", "text"), editortest.Conn("fmt", "text", "out", "value")}, d.Connections())
	require.NoError(t, d.Replace("fmt", "text.length"))
	require.Equal(t, []workflow.Connection{editortest.Conn("who", "value", "fmt", "text"), editortest.Conn("fmt", "length", "out", "value")}, d.Connections())
	require.NoError(t, d.Replace("fmt", "io.input"))
	require.Len(t, d.Connections(), 1, "a wire that fits nowhere goes")
}

func TestReplacePrefersTheSameName(t *testing.T) {
	d := editortest.Open(t, `{"id":"x","nodes":[{"id":"s","type":"io.input","config":{"name":"s","required":true,"type":"string"}},`+
		`{"id":"t","type":"io.input","config":{"name":"t","required":true,"type":"string"}},{"id":"what","type":"acme.unknown"}],`+
		`"connections":[{"fromNodeId":"s","fromPort":"value","toNodeId":"what","toPort":"other"},{"fromNodeId":"t","fromPort":"value","toNodeId":"what","toPort":"text"},`+
		`{"fromNodeId":"s","fromPort":"value","toNodeId":"what","toPort":"text"}]}`)
	require.NoError(t, d.Replace("what", "text.encode"))
	require.Equal(t, []workflow.Connection{editortest.Conn("t", "value", "what", "text"), editortest.Conn("s", "value", "what", "format")}, d.Connections())
}

func TestPortsOfNodes(t *testing.T) {
	tests := []struct{ name, id, inputs, outputs string }{
		{"by config", "fmt", "template values name ", "result "},
		{"unknown type, by wires", "what", "in ", ""},
		{"container, by its body", "loop", "list concurrency onItemError factor ", "twice count errors "},
	}
	d := editortest.Open(t, `{"id":"x","nodes":[{"id":"fmt","type":"text.format","config":{"template":"{name}"}},{"id":"what","type":"acme.unknown"},`+
		`{"id":"loop","type":"control.foreach","body":{"nodes":[{"id":"item","type":"io.input","config":{"name":"item"}},`+
		`{"id":"factor","type":"io.input","config":{"name":"factor"}},{"id":"off","type":"io.input","config":{"name":"off"},"disabled":true},{"id":"o","type":"io.output","config":{"name":"twice"}}],"connections":[]}}],`+
		`"connections":[{"fromNodeId":"fmt","fromPort":"result","toNodeId":"what","toPort":"in"}]}`)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inputs, outputs, err := d.Ports(test.id)
			require.NoError(t, err)
			var names [2]string
			for _, p := range inputs {
				names[0] += p.Name + " "
			}
			for _, p := range outputs {
				names[1] += p.Name + " "
			}
			require.Equal(t, [2]string{test.inputs, test.outputs}, names)
		})
	}
	require.NoError(t, d.SetConfig("fmt", "template", "{other}"))
	inputs, _, err := d.Ports("fmt")
	require.NoError(t, err)
	require.Equal(t, "other", inputs[2].Name, "ports follow the config")
	_, _, err = d.Ports("nobody")
	require.ErrorIs(t, err, doc.ErrNoNode)
}

// wiresInto counts the wires into one input.
func wiresInto(d *doc.Document, id, port string) (n int) {
	for _, w := range d.Connections() {
		if w.ToNodeID == id && w.ToPort == port {
			n++
		}
	}
	return n
}
