package jsonnode_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/jsonnode"
	"github.com/svcflow/svc/nodes/nodetest"
)

type object = map[string]any

func TestBuild(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for _, tt := range []struct{ config, inputs, want object }{
		{object{"fields": object{}}, nil, object{}},
		{object{"fields": object{"a": 1, "b": nil, "c": "text", "d": "==x"}}, nil, object{"a": 1, "b": nil, "c": "text", "d": "=x"}},
		{
			object{"inputs": []any{"who", "n"}, "fields": object{"to": object{"name": "=upper(who)", "list": []any{"=n", 2, "=n + 1"}}, "all": "={who: who}"}},
			object{"who": "Ada", "n": 1},
			object{"to": object{"name": "ADA", "list": []any{1, 2, 2}}, "all": object{"who": "Ada"}},
		},
		{object{"inputs": []any{"user"}, "fields": object{"city": "=user.address?.city"}}, object{"user": object{}}, object{"city": nil}},
		{object{"inputs": []any{"a"}, "a": 7, "fields": object{"x": "=a"}}, nil, object{"x": 7}},
	} {
		out, err := h.Exec("json.build", tt.config, tt.inputs)
		require.NoError(t, err, "%v", tt.config)
		require.Equal(t, object{"value": tt.want}, out)
	}
	_, err := h.Exec("json.build", object{"inputs": []any{"a"}, "fields": object{"x": object{"y": "=a - 1"}}}, object{"a": "text"})
	require.Equal(t, node.CodeFailed, node.CodeOf(err))
	require.ErrorContains(t, err, "x.y: the expression fails")
	require.True(t, node.IsPermanent(err))
	_, err = h.Exec("json.build", object{"inputs": []any{"a"}, "fields": object{"x": "=map(1..4000, a)"}}, object{"a": string(make([]byte, 2<<20))})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err), "%v", err)
}

func TestBuildProblems(t *testing.T) {
	h := nodetest.New(t, jsonnode.Plugin())
	for _, tt := range []struct {
		config        object
		port, message string
	}{
		{object{"fields": object{"a": []any{object{"b": "=who"}}}}, "fields", "a[].b: the expression is wrong: unknown name who"},
		{object{"fields": object{}, "inputs": []any{"user-id"}}, "inputs", `"user-id" cannot be the name of an input`},
		{object{"fields": object{}, "inputs": []any{"fields"}}, "inputs", "fields is taken"},
		{object{"fields": object{}, "inputs": []any{"a", "a"}}, "inputs", "a stands twice"},
	} {
		problems := h.Problems("json.build", tt.config, "a")
		require.NotEmpty(t, problems)
		require.Equal(t, tt.port, problems[0].Port)
		require.Contains(t, problems[0].Message, tt.message)
	}
	require.Equal(t, "missing_required_input", h.Problems("json.build", object{"fields": object{}, "inputs": []any{"a"}})[0].Code)
}
