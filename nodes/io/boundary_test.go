package ionode_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	ionode "github.com/svcflow/svc/nodes/io"
)

func bind(t *testing.T, typ string, config record) (node.Bound, []node.Problem) {
	t.Helper()
	r, err := node.NewRegistry(ionode.Plugin(ionode.Env{}))
	require.NoError(t, err)
	n, ok := r.Lookup(typ)
	require.True(t, ok)
	return n.Bind(node.Binding{Spec: &n.Spec, Config: config})
}

func TestInputBoundary(t *testing.T) {
	tests := []struct {
		name     string
		config   record
		typ      string
		def      any
		required bool
	}{
		{"bare", record{}, "any", nil, false},
		{"optional", record{"type": "int"}, "int?", nil, false},
		{"required", record{"type": "int", "required": true}, "int", nil, true},
		{"default", record{"type": "int", "default": 3}, "int", 3, false},
		{"default conforms", record{"type": "list<float>", "default": []any{1, 2.5}}, "list<float>", []any{1.0, 2.5}, false},
		{"default and required", record{"type": "string", "default": "", "required": true}, "string", "", false},
		{"null default is none", record{"type": "string", "default": nil}, "string?", nil, false},
		{"null fields are as if left out", record{"type": nil, "required": nil, "description": nil}, "any", nil, false},
		{"credential", record{"type": "credential", "default": "pronet:main"}, "credential", value.Credential("pronet:main"), false},
		{"already nullable", record{"type": " record{ id : int } ? "}, "record{id:int}?", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config["name"], tt.config["description"] = "x", "about x"
			bound, problems := bind(t, "io.input", tt.config)
			require.Empty(t, problems)
			require.Equal(t, node.Port{
				Name: "x", Type: value.MustType(tt.typ), Default: tt.def, Optional: tt.config["required"] != true, Description: "about x",
			}, *bound.Boundary)
			require.Equal(t, tt.required, bound.Boundary.Required())
			require.Len(t, bound.Outputs, 1)
			require.Equal(t, "value", bound.Outputs[0].Name)
			require.Equal(t, tt.typ, bound.Outputs[0].Type.String())
		})
	}
}

func TestOutputBoundary(t *testing.T) {
	bound, problems := bind(t, "io.output", record{"name": "Größe (cm)"})
	require.Empty(t, problems)
	require.Equal(t, "Größe (cm)", bound.Boundary.Name)
	require.Equal(t, value.Any(), bound.Boundary.Type)
	require.Empty(t, bound.Outputs)
	require.Equal(t, "value", bound.Inputs[1].Name)
}

func TestBoundaryProblems(t *testing.T) {
	tests := []struct {
		name    string
		typ     string
		config  record
		port    string
		message string
	}{
		{"no name", "io.input", record{}, "name", "give it a name"},
		{"empty name", "io.output", record{"name": ""}, "name", "give it a name"},
		{"name of another kind", "io.output", record{"name": 1}, "name", "expected string, got int"},
		{"control character", "io.input", record{"name": "a\nb"}, "name", "control characters"},
		{"no UTF-8", "io.input", record{"name": "a\xff"}, "name", "control characters"},
		{"long name", "io.output", record{"name": strings.Repeat("é", 201)}, "name", "at most 200"},
		{"bad type", "io.input", record{"name": "x", "type": "list<strin>"}, "type", "offset 5"},
		{"empty type", "io.input", record{"name": "x", "type": ""}, "type", "offset 0"},
		{"type of another kind", "io.input", record{"name": "x", "type": true}, "type", "expected string, got bool"},
		{"required of another kind", "io.input", record{"name": "x", "required": "yes"}, "required", "expected bool, got string"},
		{"default does not conform", "io.input", record{"name": "x", "type": "int", "default": "3"}, "default", "expected int, got string"},
		{"secret as default", "io.input", record{"name": "x", "type": "credential", "default": "sk-live-1"}, "default", "network:account"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := bind(t, tt.typ, tt.config)
			require.Len(t, problems, 1)
			require.Equal(t, tt.port, problems[0].Port)
			require.Contains(t, problems[0].Message, tt.message)
			require.NotContains(t, problems[0].Message, "sk-live")
		})
	}
	_, problems := bind(t, "io.output", record{"name": strings.Repeat("é", 200)})
	require.Empty(t, problems)
}
