package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// compileCodes compiles f and returns the codes of its problems.
func compileCodes(t *testing.T, f *enginetest.Flow, limits workflow.Limits) []string {
	env := enginetest.NewKit().Env(t)
	env.Limits = limits
	_, err := engine.Compile(t.Context(), f.Definition(), env)
	var problems engine.ValidationErrors
	if err != nil {
		require.ErrorAs(t, err, &problems)
	}
	codes := []string{}
	for _, p := range problems {
		codes = append(codes, p.Code)
	}
	return codes
}

// bodies returns a workflow with n nested bodies.
func bodies(n int) *enginetest.Flow {
	f := enginetest.NewFlow("w").Node("a", "test.pass", "value", 1)
	for range n {
		f = enginetest.NewFlow("w").Node("sub", "test.sub").Body(f)
	}
	return f
}

func TestLimits(t *testing.T) {
	three := func() *enginetest.Flow {
		return enginetest.NewFlow("w").Node("a", "test.pass", "value", 1).Node("b", "test.pass").Node("c", "test.pass").
			Wire("a.value", "b.value").Wire("b.value", "c.value")
	}
	nest := func(f *enginetest.Flow) *enginetest.Flow {
		return enginetest.NewFlow("w").Node("x", "test.sub").Body(f).Node("y", "test.sub").Body(f)
	}
	exceeded := []string{engine.CodeLimitExceeded}
	tests := []struct {
		name   string
		flow   *enginetest.Flow
		limits workflow.Limits
		codes  []string
	}{
		{"as many nodes as allowed", three(), workflow.Limits{Nodes: 3}, nil},
		{"a node too many", three(), workflow.Limits{Nodes: 2}, exceeded},
		{"as many connections as allowed", three(), workflow.Limits{Connections: 2}, nil},
		{"a connection too many", three(), workflow.Limits{Connections: 1}, exceeded},
		{"nodes are counted in all bodies together", nest(three()), workflow.Limits{Nodes: 8}, nil},
		{"a node too many in the bodies", nest(three()), workflow.Limits{Nodes: 7}, exceeded},
		{"64 bodies", bodies(64), workflow.DefaultLimits(), nil},
		{"65 bodies", bodies(65), workflow.DefaultLimits(), exceeded},
		{"no limits", bodies(500), workflow.Limits{}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.ElementsMatch(t, tt.codes, compileCodes(t, tt.flow, tt.limits))
		})
	}
	t.Run("64 bodies run", func(t *testing.T) {
		p := enginetest.PlayFlow(t, &engine.Local{}, enginetest.NewKit(), bodies(64), nil)
		require.Equal(t, engine.StatusCompleted, p.Status)
	})
	t.Run("the depth of stored workflows counts", func(t *testing.T) {
		kit := enginetest.NewKit()
		for i := range 70 {
			kit.Store(enginetest.NewFlow(fmt.Sprint("w", i)).Node("sub", "test.sub", "workflowId", fmt.Sprint("w", i+1)).Definition())
		}
		env := kit.Env(t)
		env.Limits = workflow.DefaultLimits()
		_, err := engine.Compile(t.Context(), enginetest.NewFlow("w").Node("sub", "test.sub", "workflowId", "w0").Definition(), env)
		require.ErrorContains(t, err, engine.CodeLimitExceeded)
	})
}

func TestStored(t *testing.T) {
	kit := enginetest.NewKit()
	kit.Store(enginetest.NewFlow("bottom").Node("a", "test.pass", "value", 1).Definition())
	for _, side := range []string{"left", "right"} {
		kit.Store(enginetest.NewFlow(side).Node("sub", "test.sub", "workflowId", "bottom").Definition())
	}
	diamond := enginetest.NewFlow("top").Node("l", "test.sub", "workflowId", "left").Node("r", "test.sub", "workflowId", "right").
		Node("again", "test.sub", "workflowId", "left")
	plan := kit.Compile(t, diamond)
	require.Equal(t, []string{"left", "bottom", "right"}, plan.Loaded())
	require.Equal(t, plan.Loaded(), kit.Loads(), "each is loaded once")
	p := enginetest.PlayPlan(t.Context(), t, &engine.Local{}, plan, engine.Options{})
	require.Equal(t, engine.StatusCompleted, p.Status)
}

// TestStoredProblems has one mistake at the end of sixty levels, each of which calls the
// next twice.
func TestStoredProblems(t *testing.T) {
	kit := enginetest.NewKit()
	call := func(id, target string) *workflow.Definition {
		return enginetest.NewFlow(id).Node("a", "test.sub", "workflowId", target).Node("b", "test.sub", "workflowId", target).Definition()
	}
	for i := range 60 {
		kit.Store(call(fmt.Sprint("w", i), fmt.Sprint("w", i+1)))
	}
	kit.Store(enginetest.NewFlow("w60").Node("wrong", "test.nothing").Definition())
	_, err := engine.Compile(t.Context(), call("top", "w0"), kit.Env(t))
	var problems engine.ValidationErrors
	require.ErrorAs(t, err, &problems)
	require.Len(t, problems, 2)
	require.Contains(t, problems[0].Message, `there is no node type "test.nothing"`)
}

func TestStoredErrors(t *testing.T) {
	call := enginetest.NewFlow("w").Node("sub", "test.sub", "workflowId", "x").Definition()
	broken := errors.New("disk on fire")
	env := enginetest.NewKit().Env(t)
	t.Run("a store that fails is no problem of the workflow", func(t *testing.T) {
		env.Load = func(context.Context, string) (*workflow.Definition, error) { return nil, broken }
		plan, err := engine.Compile(t.Context(), call, env)
		require.Nil(t, plan)
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, `"x"`)
		var problems engine.ValidationErrors
		require.NotErrorAs(t, err, &problems)
	})
	t.Run("nor is a context that ends", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := engine.Compile(ctx, call, env)
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("without a store there are no stored workflows", func(t *testing.T) {
		env.Load = nil
		_, err := engine.Compile(t.Context(), call, env)
		var problems engine.ValidationErrors
		require.ErrorAs(t, err, &problems)
		require.Equal(t, engine.CodeUnknownWorkflow, problems[0].Code)
	})
}

func TestPlanInterface(t *testing.T) {
	plan := enginetest.NewKit().Compile(t, enginetest.NewFlow("w").
		Node("b", "test.input", "name", "second", "type", "int", "default", 2).
		Node("a", "test.input", "name", "first", "type", "string", "required", true).
		Node("off", "test.input", "name", "off").Disabled().
		Node("o", "test.output", "name", "out", "value", 1))
	require.Equal(t, "w", plan.WorkflowID())
	require.Equal(t, []node.Port{
		{Name: "second", Type: value.Int(), Default: 2, Optional: true},
		{Name: "first", Type: value.String()},
	}, plan.Inputs())
	require.Equal(t, []node.Port{{Name: "out"}}, plan.Outputs())
	require.Empty(t, plan.Loaded())
}

// TestForeignConfig tests definitions that were not decoded from JSON.
func TestForeignConfig(t *testing.T) {
	for _, v := range []any{int64(1), make(chan int), []any{struct{}{}}, map[string]any{"x": float32(1)}} {
		f := enginetest.NewFlow("w").Node("a", "test.pass", "value", v)
		require.Equal(t, []string{engine.CodeInvalidConfig}, compileCodes(t, f, workflow.Limits{}), "%T", v)
	}
}

func TestCredentialNetworks(t *testing.T) {
	registry, err := node.NewRegistry(node.Bundle{Name: "cred", Nodes: []node.Node{{
		Spec: node.Spec{Type: "cred.use", Inputs: credentialPorts()},
		Bind: node.Static(credentialPorts(), nil, func(context.Context, []any, []any) error { return nil }),
	}}}, enginetest.NewKit())
	require.NoError(t, err)
	wired := func(port string, v any) *enginetest.Flow {
		return enginetest.NewFlow("w").Node("a", "test.pass", "value", v).Node("n", "cred.use").Wire("a.value", "n."+port)
	}
	const secret = "pronet-token-that-was-pasted"
	for _, v := range []any{"pronet:main", "microblog:bot"} {
		plan, err := engine.Compile(t.Context(), wired("one", v).Definition(), engine.Env{Registry: registry})
		require.NoError(t, err)
		p := enginetest.PlayPlan(t.Context(), t, &engine.Local{}, plan, engine.Options{})
		require.Equal(t, engine.StatusCompleted, p.Status)
	}
	for port, v := range map[string]any{"one": "email:main", "many": []any{"pronet:main", "email:main"}} {
		plan, err := engine.Compile(t.Context(), wired(port, v).Definition(), engine.Env{Registry: registry})
		require.NoError(t, err)
		p := enginetest.PlayPlan(t.Context(), t, &engine.Local{}, plan, engine.Options{})
		require.Equal(t, "failed type_error", p.States()["n"], port)
		require.NotContains(t, p.Error.Message, "email:main")
	}
	for _, v := range []any{secret, "email:main"} {
		_, err := engine.Compile(t.Context(), enginetest.NewFlow("w").Node("n", "cred.use", "one", v).Definition(), engine.Env{Registry: registry})
		require.ErrorContains(t, err, engine.CodeInvalidConfig)
		require.NotContains(t, err.Error(), v)
	}
}

func credentialPorts() []node.Port {
	networks := []string{"pronet", "microblog"}
	return []node.Port{
		{Name: "one", Type: value.CredentialType(), Networks: networks, Optional: true},
		{Name: "many", Type: value.ListOf(value.CredentialType()), Networks: networks, Optional: true},
	}
}

// TestRandomWorkflows runs FuzzCompile briefly with random input.
func TestRandomWorkflows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		data := make([]byte, random.IntN(400))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		compileAndRun(t, (&scribbler{data}).definition(0))
	}
}
