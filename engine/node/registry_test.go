package node_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/golden"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// pluginFunc is a plugin without a name.
type pluginFunc func(r *node.Registrar)

func (f pluginFunc) Install(r *node.Registrar) { f(r) }

func nothing(context.Context, map[string]any) (map[string]any, error) { return nil, nil }

func TestExecutorIsAdapted(t *testing.T) {
	spec := node.Spec{
		Type:    "my.node",
		Inputs:  []node.Port{{Name: "a", Type: value.Int()}, {Name: "b", Type: value.Any(), Optional: true}},
		Outputs: []node.Port{{Name: "x", Type: value.Float()}, {Name: "y", Type: value.Any()}},
	}
	var given, result map[string]any
	var failure error
	r, err := node.NewRegistry(pluginFunc(func(r *node.Registrar) {
		r.RegisterExecutor("my.node", func(_ context.Context, inputs map[string]any) (map[string]any, error) {
			given = inputs
			return result, failure
		})
		r.RegisterSpec(spec)
	}))
	require.NoError(t, err)
	call := callOf(t, r)
	run := func(in ...any) ([]any, error) {
		out := []any{node.Absent{}, node.Absent{}}
		err := call(t.Context(), in, out)
		return out, err
	}

	result = map[string]any{"x": 1, "y": nil}
	out, err := run(1, node.Absent{})
	require.NoError(t, err)
	require.Equal(t, []any{1.0, nil}, out)
	require.Equal(t, map[string]any{"a": 1}, given, "absent is no entry")
	_, err = run(1, nil)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"a": 1, "b": nil}, given, "null is one")

	result = nil
	out, err = run(1, nil)
	require.NoError(t, err)
	require.Equal(t, []any{node.Absent{}, node.Absent{}}, out)

	for _, tt := range []struct {
		result        map[string]any
		code, message string
	}{
		{map[string]any{"x": "text"}, node.CodeTypeError, `output "x": expected float, got string`},
		{map[string]any{"x": nil}, node.CodeTypeError, `output "x": expected float, got null`},
		{map[string]any{"y": time.Now()}, node.CodeTypeError, "time.Time is no value"},
		{map[string]any{"y": []any{int32(1)}}, node.CodeTypeError, "[0]"},
		{map[string]any{"x": math.Inf(1)}, node.CodeNotFinite, `output "x"`},
		{map[string]any{"y": map[string]any{"deep": math.NaN()}}, node.CodeNotFinite, `"deep"`},
		{map[string]any{"z": 1}, node.CodeTypeError, `an output "z"`},
	} {
		result = tt.result
		_, err := run(1, nil)
		require.Equal(t, tt.code, node.CodeOf(err), "%v", tt.result)
		require.True(t, node.IsPermanent(err))
		require.ErrorContains(t, err, tt.message)
	}

	failure = errors.New("out of luck")
	_, err = run(1, nil)
	require.ErrorIs(t, err, failure)
	require.Equal(t, node.CodeFailed, node.CodeOf(err))
}

func TestRegistryReportsEverything(t *testing.T) {
	_, err := node.NewRegistry(pluginFunc(func(r *node.Registrar) {
		r.RegisterSpec(node.Spec{Type: "my.twice"})
		r.RegisterSpec(node.Spec{Type: "my.twice"})
		r.RegisterExecutor("my.twice", nothing)
		r.RegisterExecutor("my.twice", nothing)
		r.RegisterSpec(node.Spec{Type: "my.lonely_spec"})
		r.RegisterExecutor("my.lonely_executor", nothing)
		r.RegisterSpec(node.Spec{Type: "Not A Type"})
		r.RegisterSpec(node.Spec{Type: "nodot", Timeout: -1})
		r.RegisterSpec(node.Spec{
			Type:    "my.ports",
			Inputs:  []node.Port{{Name: "in put"}, {Name: "a"}, {Name: "a"}, {Name: "d", Type: value.Int(), Default: "x"}},
			Outputs: []node.Port{{Name: "$error"}},
		})
		r.Register(node.Node{Spec: node.Spec{Type: "my.both"}, Bind: node.Static(nil, nil, nil)})
		r.RegisterExecutor("my.both", nothing)
	}))
	require.Error(t, err)
	for _, want := range []string{
		`"my.twice" is registered twice`, `"my.twice" has two executors`, `"my.lonely_spec" has no executor`, `"my.lonely_executor" has no spec`,
		`"Not A Type"`, `"nodot"`, "negative timeout", `input "in put"`, `input "a" stands twice`, `input "d": default: expected int`, `output "$error"`,
		`"my.both" has two executors`,
	} {
		require.ErrorContains(t, err, want)
	}
}

func TestRegistryFillsDefaults(t *testing.T) {
	spec := node.Spec{Type: "my.node", Inputs: []node.Port{{Name: "f", Type: value.Float(), Default: 1}}}
	plugin := pluginFunc(func(r *node.Registrar) {
		r.RegisterSpec(spec)
		r.RegisterExecutor(spec.Type, nothing)
	})
	r, err := node.NewRegistry(plugin, node.Bundle{
		Name: "named", Category: "Named", Card: node.Card{Shape: "circle", Size: 64, Color: "#000000"},
		Nodes: []node.Node{{Spec: node.Spec{Type: "other.node"}, Bind: node.Static(nil, nil, nil)}},
	})
	require.NoError(t, err)
	specs := r.Specs()
	require.Len(t, specs, 2)
	mine, other := specs[0], specs[1]
	require.Equal(t, "my.node", mine.Label)
	require.Equal(t, "my", mine.Category)
	require.Equal(t, "my", mine.Plugin())
	require.Equal(t, node.DefaultTimeout, mine.Timeout)
	require.Equal(t, "card", mine.Card.Shape)
	require.Equal(t, 1.0, mine.Inputs[0].Default)
	require.Equal(t, 1, spec.Inputs[0].Default, "the plugin's own spec is left alone")
	require.Equal(t, "named", other.Plugin())
	require.Equal(t, "Named", other.Category)
	require.Equal(t, 64, other.Card.Size)
	_, ok := r.Lookup("no.such")
	require.False(t, ok)
}

var update = flag.Bool("update", false, "write the golden files anew")

func TestSpecJSON(t *testing.T) {
	type in struct {
		Ref   value.Credential `port:"credential" network:"pronet" doc:"The account."`
		Text  string           `port:"text,literal" doc:"A <text>." widget:"multiline"`
		Limit int              `port:"limit" default:"10" doc:"How many."`
		Quiet bool             `port:"quiet" default:"false" doc:"No sound."`
		Tags  []string         `port:"tags,optional" doc:"Tags."`
	}
	type out struct {
		Posts []point `port:"posts" doc:"Posts."`
	}
	r := install(t, node.Func("my.posts", "Posts", func(context.Context, in) (out, error) { panic("never called") }).Pure().Doc("Gets `posts`.").
		Script("text", &node.Script{Language: node.LanguageExpr, Names: map[string]string{"item": "tags[]", "index": ""}}))
	got, err := r.Specs()[0].MarshalJSON()
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, got, "", "  "))
	b.WriteByte('\n')
	golden.Equal(t, filepath.Join("testdata", "spec.json"), b.Bytes(), *update)

	var read node.Spec
	require.NoError(t, json.Unmarshal(got, &read))
	require.Equal(t, 10, read.Inputs[2].Default, "an int, as it was")
	again, err := read.MarshalJSON()
	require.NoError(t, err)
	require.Equal(t, string(got), string(again))
}

func TestErrors(t *testing.T) {
	cause := errors.New("cause")
	err := node.Errorf(node.CodeUnavailable, "cannot: %w", cause)
	require.EqualError(t, err, "cannot: cause")
	require.ErrorIs(t, err, cause)
	require.False(t, node.IsPermanent(err))

	wrapped := fmt.Errorf("outer: %w", err)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(wrapped))
	require.Equal(t, node.CodeFailed, node.CodeOf(cause))

	permanent := node.Permanent(wrapped)
	require.True(t, node.IsPermanent(permanent))
	require.True(t, node.IsPermanent(fmt.Errorf("again: %w", permanent)))
	require.Equal(t, node.CodeUnavailable, node.CodeOf(permanent))
	require.Equal(t, wrapped.Error(), permanent.Error())
	require.NoError(t, node.Permanent(nil))

	for code, want := range map[string]bool{
		node.CodeTypeError: true, node.CodeInvalidInput: true, node.CodeInvalidConfig: true, node.CodeForbidden: true,
		node.CodeFailed: false, node.CodeTimeout: false, node.CodeRateLimited: false,
	} {
		require.Equal(t, want, node.IsPermanent(node.Errorf(code, "x")), code)
	}
	require.True(t, node.IsPermanent(&node.Error{Code: node.CodeFailed, Permanent: true}))
	require.False(t, node.IsPermanent(nil))
}

// recorder is a run that notes what it is told.
type recorder struct{ told []string }

func (r *recorder) Progress(step, total int, message string) {
	r.told = append(r.told, fmt.Sprint(step, total, message))
}
func (r *recorder) ConcealOutput(secret string) { r.told = append(r.told, secret) }
func (r *recorder) Conceal(secret string)       { r.told = append(r.told, secret) }

func (r *recorder) Redact(text string) string { return text + "!" }

func (r *recorder) Key() string { return "run/node" }

func TestRun(t *testing.T) {
	node.Progress(t.Context(), 1, 2, "nobody listens")
	node.Conceal(t.Context(), "nobody listens")
	r := &recorder{}
	ctx := node.WithRun(t.Context(), r)
	node.Progress(ctx, 1, 2, " half")
	node.Conceal(ctx, "secret")
	require.Equal(t, []string{"1 2 half", "secret"}, r.told)
}
