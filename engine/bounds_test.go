package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/workflow"
)

// bounded fails the test unless the problems respect the limits in docs/limits.md.
func bounded(t *testing.T, problems engine.ValidationErrors) {
	t.Helper()
	require.LessOrEqual(t, len(problems), limit.Problems+1)
	text, err := json.Marshal(problems)
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), limit.ProblemBytes+limit.Message)
	for _, p := range problems {
		for _, text := range []string{p.Message, p.Hint, p.NodeID, p.Port} {
			require.LessOrEqual(t, len(text), limit.Message)
		}
	}
}

func wrong(t *testing.T, def *workflow.Definition, env engine.Env) engine.ValidationErrors {
	t.Helper()
	_, err := engine.Compile(t.Context(), def, env)
	var problems engine.ValidationErrors
	require.ErrorAs(t, err, &problems)
	bounded(t, problems)
	return problems
}

// TestManyProblems compiles tens of thousands of mistakes about very wide nodes: only the
// first are listed, each with a short message.
func TestManyProblems(t *testing.T) {
	f := enginetest.NewFlow("w").Node("a", "test.ports", "count", 10_000).Node("b", "test.ports", "count", 10_000)
	for i := range 10_000 {
		f.Definition().Nodes[0].Config[fmt.Sprint("no", i)] = 1
	}
	for i := range 20_000 {
		f.Wire(fmt.Sprint("a.nothing", i), fmt.Sprint("b.nothing", i))
	}
	problems := wrong(t, f.Definition(), enginetest.NewKit().Env(t))
	require.Equal(t, 50_000, problems.Total())
	require.Equal(t, 49_000, problems.Truncated())
	require.Equal(t, "no0", problems[0].Port)
	require.Contains(t, problems[0].Hint, "(9991 more)")
	last := problems[len(problems)-1]
	require.Equal(t, &engine.ValidationError{
		Code: "limit_exceeded", Message: "49000 more problems are not listed", Hint: "correct these first", Truncated: 49_000,
	}, last)
}

// TestFirstProblemsAreTold checks that the first problems in document order are listed,
// even if others were found before them.
func TestFirstProblemsAreTold(t *testing.T) {
	f := enginetest.NewFlow("w")
	for i := range 5_000 {
		f.Node(fmt.Sprint("n", i), "test.upper") // its missing input is found after all connections were checked
		f.Wire("gone.value", fmt.Sprintf("n%d.other", i))
	}
	problems := wrong(t, f.Definition(), enginetest.NewKit().Env(t))
	for i, p := range problems[:limit.Problems] {
		require.Equal(t, "missing_required_input", p.Code)
		require.Equal(t, fmt.Sprint("n", i), p.NodeID)
	}
}

// TestLongNamesAreShortened checks that a name of a quarter of a megabyte is not repeated
// in full with each problem below it, which made a gigabyte.
func TestLongNamesAreShortened(t *testing.T) {
	inner := enginetest.NewFlow("")
	for i := range 4_000 {
		inner.Node(fmt.Sprint("n", i), "test.nothing")
	}
	def := enginetest.NewFlow("w").Node(strings.Repeat("x", 240_000), "test.sub").Definition()
	def.Nodes[0].Body = inner.Definition()
	problems := wrong(t, def, enginetest.NewKit().Env(t))
	require.Equal(t, 4_001, problems.Total())
	require.Regexp(t, `^x+…x+/n0$`, problems[1].NodeID)
}

func TestInputProblemsAreBounded(t *testing.T) {
	f := enginetest.NewFlow("w")
	for i := range 3_000 {
		f.Node(fmt.Sprint("n", i), "test.input", "name", strings.Repeat("long", 250)+fmt.Sprint(i), "type", "int", "required", true)
	}
	plan := enginetest.NewKit().Compile(t, f)
	given := map[string]any{}
	for i := range 3_000 {
		given[fmt.Sprint("unknown", i)] = i
	}
	for name, inputs := range map[string]map[string]any{"missing and unknown": given, "missing": {}} {
		problems := plan.CheckInputs(inputs)
		bounded(t, problems)
		require.Equal(t, 3_000+len(inputs), problems.Total(), name)
	}
}

// counted is a context that ends after a number of calls of Err.
type counted struct {
	context.Context

	asked, most int
}

func (c *counted) Err() error {
	if c.asked++; c.asked >= c.most {
		return context.Canceled
	}
	return nil
}

// TestCompileEndsWithItsCaller checks that Compile checks its context often enough and
// stops when it ends.
func TestCompileEndsWithItsCaller(t *testing.T) {
	env := benchEnv(t)
	def := chainOf(100_000, "bench.slot")
	all := &counted{Context: t.Context(), most: 1 << 30}
	_, err := engine.Compile(all, def, env)
	require.NoError(t, err)
	require.GreaterOrEqual(t, all.asked, 100_000/10_000)
	for most := 1; most < all.asked; most += 5 {
		ctx := &counted{Context: t.Context(), most: most}
		_, err := engine.Compile(ctx, def, env)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, most, ctx.asked)
	}
}

// TestComparisonsAreBounded checks the limit on comparing types that are all wired to each
// other.
func TestComparisonsAreBounded(t *testing.T) {
	f := enginetest.NewFlow("w")
	wide := func(from, step int) string {
		var b strings.Builder
		b.WriteString("list<record{")
		for i := range 2_000 {
			fmt.Fprintf(&b, "f%d:int,", from+i*step)
		}
		return b.String() + "last:int}>"
	}
	for i := range 60 {
		f.Node(fmt.Sprint("from", i), "test.typed", "type", wide(0, 1)).Node(fmt.Sprint("to", i), "test.typed", "type", "list<"+wide(1_999, -1)+">")
	}
	for i := range 60 {
		for k := range 60 {
			f.Wire(fmt.Sprintf("from%d.value", i), fmt.Sprintf("to%d.value", k))
		}
	}
	problems := wrong(t, f.Definition(), enginetest.NewKit().Env(t))
	require.Equal(t, "limit_exceeded", problems[0].Code)
	require.Contains(t, problems[0].Message, "5000000")
}

// TestPortsAreBounded checks the limit on ports: a small document can call workflows with
// very many inputs.
func TestPortsAreBounded(t *testing.T) {
	kit := enginetest.NewKit()
	wide := enginetest.NewFlow("wide")
	for i := range 5_000 {
		wide.Node(fmt.Sprint("n", i), "test.input", "name", fmt.Sprint("in", i), "type", "int")
	}
	kit.Store(wide.Definition())
	f := enginetest.NewFlow("w")
	for i := range 4_000 {
		f.Node(fmt.Sprint("n", i), "test.sub", "workflowId", "wide")
	}
	env := kit.Env(t)
	env.Limits = workflow.DefaultLimits()
	problems := wrong(t, f.Definition(), env)
	require.Len(t, problems, 1)
	require.Equal(t, "limit_exceeded", problems[0].Code)
	require.Contains(t, problems[0].Message, "250000 inputs and outputs")
}

// TestFailuresAreBounded checks that failure messages are shortened everywhere. Thousands
// of messages of a megabyte each made answers of gigabytes.
func TestFailuresAreBounded(t *testing.T) {
	const n = 3_000
	message := strings.Repeat("long ", 200_000) + "end"
	f := enginetest.NewFlow("w").Node("h", "test.fail", "message", message).Node("got", "test.pass").Wire("h.$error", "got.value")
	for i := range n {
		f.Node(fmt.Sprint("n", i), "test.fail", "message", message)
	}
	longest := 0
	run, err := new(engine.Local).Run(t.Context(), enginetest.NewKit().Compile(t, f), engine.Options{
		Observe: func(e engine.Event) { longest = max(longest, len(e.AppendJSON(nil, engine.NoElision))) },
	})
	require.NoError(t, err)
	require.LessOrEqual(t, len(run.AppendJSON(nil, engine.NoElision)), n*(limit.Failure+1<<10))
	require.LessOrEqual(t, longest, n*(limit.Failure+1<<10))
	text := run.Err().Message
	require.LessOrEqual(t, len(text), limit.Failure)
	require.True(t, strings.HasPrefix(text, "long ") && strings.HasSuffix(text, "end"), "beginning and end are there")
	handled := run.Result().Nodes["got"].Outputs["value"].(map[string]any)
	require.LessOrEqual(t, len(handled["message"].(string)), limit.Failure)
}
