package app

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
)

// newTestApp makes an App whose nodes reach nothing. A test that has failed interrupts what goes
// on in it: where something is left in a bubble, the whole process panics.
func newTestApp(t *testing.T, c Config) *App {
	t.Helper()
	a, err := New(c)
	require.NoError(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			_ = a.Close(t.Context()) // which has ended by now
		}
	})
	return a
}

// says is a workflow without inputs that puts text out as "said".
func says(t *testing.T, id, text string) *workflow.Definition {
	t.Helper()
	return parse(t, fmt.Sprintf(`{"id":%q,"nodes":[{"id":"out","type":"io.output","config":{"name":"said","value":%q}}],"connections":[]}`, id, text))
}

// calls is a workflow that returns the output of the stored workflow inner.
func calls(t *testing.T, id, inner string) *workflow.Definition {
	t.Helper()
	return parse(t, fmt.Sprintf(`{"id":%q,"nodes":[
		{"id":"call","type":"control.subworkflow","config":{"workflowId":%q}},
		{"id":"out","type":"io.output","config":{"name":"said"}}],
		"connections":[{"fromNodeId":"call","fromPort":"said","toNodeId":"out","toPort":"value"}]}`, id, inner))
}

func parse(t *testing.T, text string) *workflow.Definition {
	t.Helper()
	def, err := workflow.Decode([]byte(text), workflow.DefaultLimits())
	require.NoError(t, err)
	return def
}

// said returns the output "said" of a run that has to have completed.
func said(t *testing.T, ended Outcome, err error) any {
	t.Helper()
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, ended.Status(), "%v", ended.Err())
	return ended.Outputs()["said"]
}

// codes returns the codes of what is wrong with a workflow.
func codes(t *testing.T, err error) []string {
	t.Helper()
	var problems engine.ValidationErrors
	require.ErrorAs(t, err, &problems)
	var list []string
	for _, p := range problems {
		list = append(list, p.Code)
	}
	return list
}

func TestNewReportsBadPlugins(t *testing.T) {
	broken := node.Bundle{Name: "broken", Nodes: []node.Node{{Spec: node.Spec{Type: "No Type"}}, {Spec: node.Spec{Type: "text.format"}}}}
	_, err := New(Config{ExtraPlugins: []node.Plugin{broken}})
	require.ErrorContains(t, err, `"No Type"`)
	require.ErrorContains(t, err, `"text.format"`, "all mistakes are reported at once")
}

func TestNodeTypes(t *testing.T) {
	hello := node.Func("test.hello", "Hello", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	a := newTestApp(t, Config{ExtraPlugins: []node.Plugin{node.Bundle{Name: "test", Nodes: []node.Node{hello}}}})
	types, err := a.NodeTypes(t.Context())
	require.NoError(t, err)
	for _, typ := range []string{"test.hello", "text.format", "control.branch", "io.input"} {
		spec, ok := a.NodeType(typ)
		require.True(t, ok, typ)
		require.Contains(t, types, spec)
	}
	_, ok := a.NodeType("test.goodbye")
	require.False(t, ok)

	other := newTestApp(t, Config{})
	_, ok = other.NodeType("test.hello")
	require.False(t, ok, "two Apps share nothing")
}

func TestValidate(t *testing.T) {
	a := newTestApp(t, Config{})
	problems, err := a.Validate(t.Context(), says(t, "fine", "hello"))
	require.NoError(t, err)
	require.Empty(t, problems)

	problems, err = a.Validate(t.Context(), parse(t, `{"id":"bad","nodes":[{"id":"a","type":"no.such"},{"id":"b","type":"io.output"}],"connections":[]}`))
	require.NoError(t, err)
	require.Equal(t, []string{engine.CodeUnknownNodeType, engine.CodeMissingRequiredInput}, codes(t, problems))

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Validate(ctx, calls(t, "outer", "inner"))
	require.ErrorIs(t, err, context.Canceled, "a question that was not answered is no verdict")
}

func TestLimits(t *testing.T) {
	a := newTestApp(t, Config{Limits: &workflow.Limits{Nodes: 1, Bytes: 200}})
	require.Equal(t, 1, a.Limits().Nodes)
	_, err := a.Execute(t.Context(), calls(t, "outer", "inner"), run.Request{}, nil)
	require.Equal(t, []string{engine.CodeLimitExceeded}, codes(t, err))
	_, err = a.ExecuteJSON(t.Context(), []byte(`{"id":"`+strings.Repeat("x", 200)+`"}`), run.Request{})
	require.ErrorIs(t, err, workflow.ErrTooLarge)
	require.Equal(t, workflow.DefaultLimits(), newTestApp(t, Config{}).Limits())
}

func TestInterface(t *testing.T) {
	a := newTestApp(t, Config{})
	greeting, err := FindTemplate("greeting")
	require.NoError(t, err)
	inputs, outputs, err := a.Interface(t.Context(), greeting, nil)
	require.NoError(t, err)
	require.Len(t, inputs, 1)
	require.Equal(t, "who", inputs[0].Name)
	require.Equal(t, "string", inputs[0].Type.String())
	require.Len(t, outputs, 1)
	require.Equal(t, "greeting", outputs[0].Name)

	inputs, _, err = a.Interface(t.Context(), greeting, map[string]map[string]any{"who": {"name": "name"}})
	require.NoError(t, err)
	require.Equal(t, "name", inputs[0].Name)

	_, _, err = a.Interface(t.Context(), greeting, map[string]map[string]any{"nobody": {"name": "name"}})
	require.Equal(t, []string{engine.CodeInvalidConfig}, codes(t, err))
}

var (
	_ store.WorkflowStore = (*fourOperations)(nil)
	_ store.Versioned     = (*counting)(nil)
)

// fourOperations is a store that can do what every store can, and no more.
type fourOperations struct{ store.WorkflowStore }

// Load lets other goroutines go first, so that a caller without a lock is too late.
func (f *fourOperations) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	def, err := f.WorkflowStore.Load(ctx, id)
	for range 100 {
		runtime.Gosched()
	}
	return def, err
}

// counting counts how often workflows are loaded.
type counting struct {
	*filestore.Store

	loads int
}

func (c *counting) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	c.loads++
	return c.Store.Load(ctx, id)
}

// localEnv lets nodes do what they can on the user's own machine.
func localEnv(t *testing.T, dir string) nodes.Env {
	t.Helper()
	env, err := nodes.Local(nodes.Policy{FilesDir: dir})
	require.NoError(t, err)
	return env
}
