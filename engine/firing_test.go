package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func TestFire(t *testing.T) {
	plan := enginetest.NewKit().Compile(t, enginetest.NewFlow("w").
		Node("a", "test.trigger", "sample", "tried").Node("off", "test.trigger").Disabled().Node("x", "test.pass", "value", 1))
	now := time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC)
	require.Equal(t, []engine.Trigger{{Node: "a", Type: "test.trigger"}}, plan.Triggers())

	f, problems := plan.Fire("a", nil, now)
	require.Empty(t, problems)
	require.Equal(t, &engine.Firing{Node: "a", Outputs: map[string]any{
		"payload": "tried", "at": "2026-01-31", "count": 0, "list": []any{},
	}}, f, "the sample, else nothing")
	f, problems = plan.Fire("a", map[string]any{"payload": nil, "note": "n", "count": 2.0}, now)
	require.Empty(t, problems)
	require.Nil(t, f.Outputs["payload"])
	require.Equal(t, "n", f.Outputs["note"])

	for id, want := range map[string]string{
		"x": `unknown_trigger: node "x": the node "x" is no trigger`, "nobody": `unknown_trigger: node "nobody": the workflow has no trigger "nobody"`,
		"off": `unknown_trigger: node "off": the trigger "off" is disabled`,
	} {
		_, problems = plan.Fire(id, nil, now)
		require.EqualError(t, problems, want)
		require.Equal(t, "it has a", problems[0].Hint)
	}
	_, problems = plan.Fire("a", map[string]any{"at": 1, "more": 2}, now)
	require.Len(t, problems, 2)
	require.Equal(t, "type_error", problems[0].Code)
	require.Equal(t, `the trigger has no output "more"`, problems[1].Message)
	require.Equal(t, "it puts out payload: any, at: string, count: int, list: list<string>, note: string", problems[1].Hint)
}

func TestNothingLeadsToATrigger(t *testing.T) {
	kit := enginetest.NewKit()
	f := enginetest.NewFlow("w").Node("a", "test.pass", "value", 1).Node("t", "test.trigger").
		Wire("a.value", "t.sample").Wire("a.$done", "t.$after")
	_, err := engine.Compile(t.Context(), f.Definition(), kit.Env(t))
	problems, ok := errors.AsType[engine.ValidationErrors](err)
	require.True(t, ok)
	require.Len(t, problems, 2)
}

func TestOneOfSeveralTriggersMayBeMissing(t *testing.T) {
	hints := func(f *enginetest.Flow) []engine.Hint { return engine.Hints(enginetest.NewKit().Compile(t, f)) }
	f := enginetest.NewFlow("w").Node("a", "test.trigger").Node("x", "test.pass", "value", 1).Node("n", "test.maybe").
		Wire("a.payload", "n.value").Wire("x.value", "n.items")
	require.Empty(t, hints(f), "with one trigger everything waits for it")
	found := hints(f.Node("b", "test.trigger"))
	require.Len(t, found, 1)
	require.Contains(t, found[0].Message, `"$done" of "a"`)
}

func TestSpecsOfTriggers(t *testing.T) {
	install := func(s node.Spec) error {
		s.Type, s.Role = "x.trigger", node.RoleTrigger
		_, err := node.NewRegistry(node.Bundle{Name: "x", Nodes: []node.Node{{Spec: s, Bind: node.Static(s.Inputs, s.Outputs, nil)}}})
		return err
	}
	port := func(literal bool) []node.Port {
		return []node.Port{{Name: "p", Type: value.String(), Literal: literal}}
	}
	require.NoError(t, install(node.Spec{Inputs: port(true), Outputs: port(false)}))
	require.ErrorContains(t, install(node.Spec{Inputs: port(false), Outputs: port(false)}), "all inputs of a trigger are literal")
	require.ErrorContains(t, install(node.Spec{Inputs: port(true)}), "a trigger has an output")
}
