package servicetest

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/service"
)

// Plugin creates the plugin of a network; it is the plugin package's New.
type Plugin = func(service.Config) node.Plugin

// Example is one call of a node, with the requests that it must send and the outputs that
// it must make of the responses.
type Example struct {
	Type     string
	Inputs   map[string]any    // without the credential
	Answers  map[string]string // see [Stub]
	Requests []string          // the expected [Request.Line] of each request
	Body     string            // of the last request, as JSON; empty: no body
	Outputs  map[string]any
}

// Examples checks that each node sends exactly the requests of its example, with its token
// and the required headers, and returns the example's outputs.
func Examples(t *testing.T, network string, plugin Plugin, header map[string]string, examples []Example) {
	for _, e := range examples {
		t.Run(e.Type, func(t *testing.T) {
			stub := &Stub{Answers: e.Answers}
			outputs, err := call(t, network, plugin, stub, e.Type, e.Inputs)
			require.NoError(t, err)
			require.Equal(t, e.Outputs, outputs)
			lines, body := []string{}, ""
			for _, r := range stub.Requests() {
				lines, body = append(lines, r.Line), r.Body
				require.Equal(t, "Bearer "+Token, r.Header.Get("Authorization"))
				require.Equal(t, "application/json", r.Header.Get("Accept"))
				require.Equal(t, r.Body != "", r.Header.Get("Content-Type") == "application/json")
				for name, text := range header {
					require.Equal(t, text, r.Header.Get(name))
				}
			}
			require.Equal(t, e.Requests, lines)
			if e.Body == "" {
				require.Empty(t, body)
				return
			}
			require.JSONEq(t, e.Body, body)
		})
	}
}

// Refusal is a call of a node with invalid inputs.
type Refusal struct {
	Type    string
	Inputs  map[string]any // without the credential
	Message string         // a part of the error message
}

// Refusals checks that nodes refuse invalid inputs without sending a request. Nodes that
// act report the failure in their outputs; others fail with the code invalid_input.
func Refusals(t *testing.T, network string, plugin Plugin, refusals []Refusal) {
	for _, r := range refusals {
		t.Run(r.Type+"/"+r.Message, func(t *testing.T) {
			stub := &Stub{}
			outputs, err := call(t, network, plugin, stub, r.Type, r.Inputs)
			require.Empty(t, stub.Requests())
			if _, acts := outputs["success"]; acts {
				require.NoError(t, err)
				require.Equal(t, false, outputs["success"])
				require.Contains(t, outputs["error"], r.Message)
				return
			}
			require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
			require.ErrorContains(t, err, r.Message)
		})
	}
}

// call calls a node with the main account of its network.
func call(t *testing.T, network string, plugin Plugin, stub *Stub, typ string, inputs map[string]any) (map[string]any, error) {
	t.Helper()
	with := map[string]any{"credential": network + ":main"}
	maps.Copy(with, inputs)
	return nodetest.New(t, plugin(Config(t.Context(), network, stub))).Exec(typ, nil, with)
}
