package editor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

func TestVerdict(t *testing.T) {
	tests := []struct {
		name     string
		from, to PortRef
		fit      value.Fit
		reason   string
	}{
		{"same type", out("s", "value"), in("enc", "text"), value.Fits, ""},
		{"from the input", in("enc", "text"), out("s", "value"), value.Fits, ""},
		{"any is checked", out("any", "value"), in("enc", "text"), value.Checked, ""},
		{"string into enum", out("s", "value"), in("enc", "format"), value.Checked, ""},
		{"string into credential", out("s", "value"), in("search", "credential"), value.Checked, ""},
		{"list as it is", out("l", "value"), in("join", "parts"), value.Fits, ""},
		{"one item", out("s", "value"), in("join", "parts"), value.Fits, ""},
		{"error port", out("s", "$error"), in("what", "in"), value.Fits, ""},
		{"types", out("n", "value"), in("enc", "text"), 0, "int does not fit into string"},
		{"list into scalar", out("l", "value"), in("enc", "text"), 0, "list<string> does not fit into string"},
		{"two outputs", out("s", "value"), out("n", "value"), 0, "both are outputs: a wire leads from an output to an input"},
		{"two inputs", in("enc", "text"), in("len", "text"), 0, "both are inputs: a wire leads from an output to an input"},
		{"itself", out("enc", "text"), in("enc", "text"), 0, "a node cannot be connected to itself"},
		{"cycle", out("len", "length"), in("enc", "text"), 0, "this would close a cycle; to repeat nodes, put them into a loop"},
		{"cycle, from the input", in("enc", "text"), out("len", "length"), 0, "this would close a cycle; to repeat nodes, put them into a loop"},
		{"setting", out("s", "value"), in("s", "name"), 0, "a node cannot be connected to itself"},
		{"setting of another", out("s", "value"), in("n", "name"), 0, `"name" takes its value from the node's settings only`},
		{"again", out("enc", "text"), in("len", "text"), 0, "they are connected already"},
		{"no such port", out("s", "value"), in("enc", "none"), 0, `node "enc" has no port "none"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := open(t, mixed)
			j, err := d.judgeFrom(test.from, nil)
			require.NoError(t, err)
			v := j.verdict(test.to)
			require.Equal(t, test.reason, v.Reason)
			require.Equal(t, test.fit, v.Fit)
			require.Equal(t, v.Legal(), d.Connect(test.from, test.to) == nil, "Connect agrees")
		})
	}
}

func TestSecondWireIntoList(t *testing.T) {
	d := open(t, mixed)
	require.NoError(t, d.Connect(out("l", "value"), in("join", "parts")))
	err := d.Connect(out("s", "value"), in("join", "parts"))
	require.ErrorIs(t, err, ErrIllegalWire)
	require.ErrorContains(t, err, "the first brings a whole list")

	d = open(t, mixed)
	for range 3 {
		require.NoError(t, d.Connect(out("s", "value"), in("join", "parts")), "repeated wires are fine in lists")
	}
	require.Equal(t, 3, wiresInto(d, "join", "parts"))
	require.NoError(t, d.Disconnect(conn("s", "value", "join", "parts")))
	require.Equal(t, 2, wiresInto(d, "join", "parts"), "one at a time")
}

func TestReconnectKeepsThePlaceOfTheWire(t *testing.T) {
	d := open(t, mixed)
	require.NoError(t, d.Reconnect(conn("enc", "text", "len", "text"), out("s", "value")))
	require.Equal(t, conn("s", "value", "len", "text"), d.Connections()[0])
	require.NoError(t, d.Reconnect(conn("s", "value", "len", "text"), in("enc", "text")))
	require.Equal(t, conn("s", "value", "enc", "text"), d.Connections()[0])
	require.NoError(t, d.Connect(out("any", "value"), in("len", "text")))
	require.NoError(t, d.Reconnect(conn("any", "value", "len", "text"), in("enc", "text")), "replaces the wire that is there")
	require.Equal(t, []workflow.Connection{conn("l", "value", "what", "in"), conn("any", "value", "enc", "text")}, d.Connections())
	require.ErrorIs(t, d.Reconnect(conn("gone", "x", "y", "z"), in("enc", "text")), ErrIllegalWire)
}

func TestReplaceKeepsWiresAndSettings(t *testing.T) {
	d := open(t, greet)
	require.NoError(t, d.SetConfig("fmt", "text", "kept where the new type has it"))
	require.NoError(t, d.Replace("fmt", "text.encode"))
	n, _ := d.Node("fmt")
	require.Equal(t, map[string]any{"text": "kept where the new type has it"}, n.Config)
	require.Equal(t, []workflow.Connection{conn("who", "value", "fmt", "text"), conn("fmt", "text", "out", "value")}, d.Connections())
	require.NoError(t, d.Replace("fmt", "text.length"))
	require.Equal(t, []workflow.Connection{conn("who", "value", "fmt", "text"), conn("fmt", "length", "out", "value")}, d.Connections())
	require.NoError(t, d.Replace("fmt", "io.input"))
	require.Len(t, d.Connections(), 1, "a wire that fits nowhere goes")
}

func TestReplacePrefersTheSameName(t *testing.T) {
	d := open(t, `{"id":"x","nodes":[{"id":"s","type":"io.input","config":{"name":"s","required":true,"type":"string"}},`+
		`{"id":"t","type":"io.input","config":{"name":"t","required":true,"type":"string"}},{"id":"what","type":"acme.unknown"}],`+
		`"connections":[{"fromNodeId":"s","fromPort":"value","toNodeId":"what","toPort":"other"},{"fromNodeId":"t","fromPort":"value","toNodeId":"what","toPort":"text"},`+
		`{"fromNodeId":"s","fromPort":"value","toNodeId":"what","toPort":"text"}]}`)
	require.NoError(t, d.Replace("what", "text.encode"))
	require.Equal(t, []workflow.Connection{conn("t", "value", "what", "text"), conn("s", "value", "what", "format")}, d.Connections())
}

func TestPortsOfNodes(t *testing.T) {
	tests := []struct{ name, id, inputs, outputs string }{
		{"by config", "fmt", "template values name ", "result "},
		{"unknown type, by wires", "what", "in ", ""},
		{"container, by its body", "loop", "list concurrency onItemError factor ", "twice count errors "},
	}
	d := open(t, `{"id":"x","nodes":[{"id":"fmt","type":"text.format","config":{"template":"{name}"}},{"id":"what","type":"acme.unknown"},`+
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
	require.ErrorIs(t, err, ErrNoNode)
}

// wiresInto counts the wires into one input.
func wiresInto(d *Document, id, port string) (n int) {
	for _, w := range d.Connections() {
		if w.ToNodeID == id && w.ToPort == port {
			n++
		}
	}
	return n
}
