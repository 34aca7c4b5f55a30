package nodetest_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/nodetest"
)

// recorder is a testing.TB that records failures.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Error(args ...any)        { r.failures = append(r.failures, fmt.Sprint(args...)) }

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }

// failuresOf runs test and returns its failures.
func failuresOf(test func(tb testing.TB)) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return strings.Join(r.failures, "\n")
}

// single is a plugin with one node, with the inputs a and b and the output out.
func single(call node.Call) node.Plugin {
	spec := node.Spec{
		Type: "bad.node", Label: "Node", Description: "Does `something`.", Pure: true,
		Inputs: []node.Port{
			{Name: "a", Type: value.Any(), Description: "A."},
			{Name: "b", Type: value.ListOf(value.Float()), Optional: true, Description: "B."},
		},
		Outputs: []node.Port{{Name: "out", Type: value.Float(), Description: "Out."}},
	}
	n := node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, call)}
	return node.Bundle{Name: "bad", Card: node.Card{Shape: "card", Color: "#000000", Icon: "x"}, Nodes: []node.Node{n}}
}

func TestGoodPlugin(t *testing.T) {
	nodetest.Check(t, plugin())
	nodetest.Quick(t, plugin(), nil)
	h := nodetest.New(t, plugin())
	out, err := h.Exec("poetry.echo", map[string]any{"times": 3.0}, map[string]any{"line": "hey"})
	require.NoError(t, err)
	require.Equal(t, map[string]any{"text": "hey hey hey"}, out)
	_, err = h.Exec("poetry.echo", nil, map[string]any{"line": 1})
	require.Equal(t, node.CodeTypeError, node.CodeOf(err))
	_, err = h.Exec("poetry.echo", map[string]any{"line": 1}, nil)
	require.Equal(t, node.CodeInvalidConfig, node.CodeOf(err))
	_, err = h.Exec("poetry.echo", map[string]any{"line": "a", "lime": "b"}, nil)
	require.Equal(t, "unknown_config", node.CodeOf(err))
	_, err = h.Exec("poetry.echo", map[string]any{"line": "a"}, map[string]any{"lime": "b"})
	require.Equal(t, "missing_input_port", node.CodeOf(err))
	problems := h.Problems("poetry.echo", nil)
	require.Equal(t, "missing_required_input", problems[0].Code)
	require.Empty(t, h.Problems("poetry.echo", nil, "line"))
}

func TestListPortsWrap(t *testing.T) {
	h := nodetest.New(t, single(func(_ context.Context, in, out []any) error {
		out[0] = float64(len(in[1].([]any)))
		return nil
	}))
	for _, v := range []any{1, []any{1.5}} {
		out, err := h.Exec("bad.node", map[string]any{"a": nil}, map[string]any{"b": v})
		require.NoError(t, err)
		require.Equal(t, map[string]any{"out": 1.0}, out)
	}
}

func TestBrokenPromises(t *testing.T) {
	calls := 0
	for name, tt := range map[string]struct {
		call    node.Call
		failure string
	}{
		"not converted": {func(_ context.Context, _, out []any) error { out[0] = 1; return nil }, "is no value of type float yet"},
		"wrong type":    {func(_ context.Context, _, out []any) error { out[0] = "x"; return nil }, "expected float, got string"},
		"no value":      {func(_ context.Context, _, out []any) error { out[0] = struct{}{}; return nil }, "is no value"},
		"not pure": {func(_ context.Context, _, out []any) error {
			calls++
			out[0] = float64(calls)
			return nil
		}, "is pure and answers differently"},
		"changes inputs": {func(_ context.Context, in, _ []any) error { in[0].([]any)[0] = 2; return nil }, "changed its inputs"},
	} {
		t.Run(name, func(t *testing.T) {
			failures := failuresOf(func(tb testing.TB) {
				_, _ = nodetest.New(tb, single(tt.call)).Exec("bad.node", nil, map[string]any{"a": []any{1}})
			})
			require.Contains(t, failures, tt.failure)
		})
	}
	failures := failuresOf(func(tb testing.TB) {
		nodetest.Quick(tb, single(func(context.Context, []any, []any) error { panic("oh no") }), nil)
	})
	require.Contains(t, failures, "panics: oh no")
}

func TestCheckFindsTextCutInsideCharacter(t *testing.T) {
	cut := func(first func(s string, n int) string) node.Plugin {
		type in struct {
			Text   string `port:"text" doc:"The text."`
			Length int    `port:"length" default:"80" doc:"Its greatest length."`
		}
		type out struct {
			Start string `port:"start" doc:"The start of the text."`
		}
		n := node.Func("bad.cut", "Cut", func(_ context.Context, i in) (out, error) {
			return out{first(i.Text, min(i.Length, len(i.Text)))}, nil
		}).Pure().Doc("Cuts `abc` to `ab`.")
		return node.Bundle{Name: "bad", Category: "Bad", Card: node.Card{Shape: "card", Color: "#000000", Icon: "x"}, Nodes: []node.Node{n}}
	}
	bytes := cut(func(s string, n int) string { return s[:n] })
	require.Contains(t, failuresOf(func(tb testing.TB) { nodetest.Check(tb, bytes) }), `bad.cut, output "start": not valid UTF-8`)
	characters := cut(func(s string, n int) string { return strings.ToValidUTF8(s[:n], "") })
	require.Empty(t, failuresOf(func(tb testing.TB) { nodetest.Check(tb, characters) }))
}

// A node sees its config as the engine would pass it.
func TestLiterals(t *testing.T) {
	var seen map[string]any
	spec := node.Spec{
		Type: "bad.node",
		Inputs: []node.Port{
			{Name: "times", Type: value.Int(), Literal: true},
			{Name: "scale", Type: value.Float(), Literal: true, Default: 1.5},
			{Name: "other", Type: value.Float(), Optional: true},
		},
	}
	bind := func(b node.Binding) (node.Bound, []node.Problem) {
		seen = b.Config
		return node.Bound{Inputs: b.Spec.Inputs, Call: func(context.Context, []any, []any) error { return nil }}, nil
	}
	h := nodetest.New(t, node.Bundle{Name: "bad", Nodes: []node.Node{{Spec: spec, Bind: bind}}})
	_, err := h.Exec("bad.node", map[string]any{"times": 3.0, "other": 1}, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"times": 3, "scale": 1.5, "other": 1}, seen)

	seen = nil
	require.Equal(t, "missing_required_input", h.Problems("bad.node", map[string]any{"scale": 2})[0].Code)
	require.Empty(t, h.Problems("bad.node", map[string]any{"times": "x"})[0].Code)
	require.Nil(t, seen, "a node whose literals are wrong is not bound")
}

func TestCredentialsNeedNetworks(t *testing.T) {
	for _, typ := range []value.Type{value.CredentialType(), value.ListOf(value.CredentialType().OrNull())} {
		spec := node.Spec{Type: "bad.node", Inputs: []node.Port{{Name: "a", Type: typ, Description: "A."}}}
		check := func() string {
			p := node.Bundle{Name: "bad", Nodes: []node.Node{{Spec: spec, Bind: node.Static(spec.Inputs, nil, nil)}}}
			return failuresOf(func(tb testing.TB) { nodetest.Check(tb, p) })
		}
		const rule = "input a: credentials have networks"
		require.Contains(t, check(), rule)
		spec.Inputs[0].Networks = []string{"poetry"}
		require.NotContains(t, check(), rule)
		spec.Inputs[0].Type = value.String()
		require.Contains(t, check(), rule)
	}
}

func TestQuickLeavesNoneOut(t *testing.T) {
	spec := node.Spec{Type: "bad.node", Inputs: []node.Port{{Name: "a", Type: value.String(), Literal: true}}}
	bind := func(b node.Binding) (node.Bound, []node.Problem) {
		if b.Config["a"] != "open sesame" {
			return node.Bound{}, []node.Problem{node.Invalid("a", "wrong")}
		}
		return node.Bound{Inputs: b.Spec.Inputs, Call: func(context.Context, []any, []any) error { return nil }}, nil
	}
	p := node.Bundle{Name: "bad", Nodes: []node.Node{{Spec: spec, Bind: bind}}}
	require.Contains(t, failuresOf(func(tb testing.TB) { nodetest.Quick(tb, p, nil) }), "bad.node was never called")
	require.Empty(t, failuresOf(func(tb testing.TB) {
		nodetest.Quick(tb, p, map[string][]map[string]any{"bad.node": {{"a": "open sesame"}}})
	}))
}

func TestCheckFindsWhatIsMissing(t *testing.T) {
	bare := node.Bundle{Name: "bare", Nodes: []node.Node{node.Func("bare.node", "", func(context.Context, struct {
		A string `port:"a"`
	}) (struct {
		B string `port:"b,literal"`
	}, error,
	) {
		panic("never called")
	})}}
	failures := failuresOf(func(tb testing.TB) { nodetest.Check(tb, bare) })
	for _, want := range []string{"a label", "a description with an example", "icon", "input a needs", "output b needs"} {
		require.Contains(t, failures, want)
	}
	require.Contains(t, failuresOf(func(tb testing.TB) { nodetest.Check(tb, node.Bundle{}) }), "registers no nodes")
	require.Contains(t, failuresOf(func(tb testing.TB) { nodetest.New(tb, plugin(), plugin()) }), "twice")
	require.Contains(t, failuresOf(func(tb testing.TB) { _, _ = nodetest.New(tb, plugin()).Exec("no.such", nil, nil) }), "no.such")
}
