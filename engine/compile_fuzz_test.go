package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/workflow"
)

// FuzzCompile compiles documents, and workflows made from random bytes. Each gives a plan
// or problems, and a plan runs to an end.
func FuzzCompile(f *testing.F) {
	files, err := filepath.Glob("testdata/validate/*.txtar")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(txtar.Parse(text).Files[0].Data)
	}
	f.Add([]byte("\x04\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"))
	f.Fuzz(func(t *testing.T, data []byte) {
		def, err := workflow.Decode(data, workflow.DefaultLimits())
		if err != nil {
			def = (&scribbler{data}).definition(0)
		}
		compileAndRun(t, def)
	})
}

func compileAndRun(t *testing.T, def *workflow.Definition) {
	kit := enginetest.NewKit()
	env := kit.Env(t)
	env.Limits = workflow.DefaultLimits()
	plan, err := engine.Compile(t.Context(), def, env)
	require.Zero(t, kit.Calls(), "compiling calls no executor")
	if err != nil {
		var problems engine.ValidationErrors
		require.ErrorAs(t, err, &problems)
		require.NotEmpty(t, problems)
		require.Nil(t, plan)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond) // documents may contain long waits
	defer cancel()
	_, err = new(engine.Local).Run(ctx, plan, engine.Options{Observe: func(engine.Event) {}})
	if problems := (engine.ValidationErrors{}); err != nil && !errors.As(err, &problems) {
		require.NoError(t, err)
	}
}

// scribbler makes workflows from bytes that are nearly valid.
type scribbler struct{ data []byte }

func (s *scribbler) pick(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}

func (s *scribbler) word(words ...string) string { return words[s.pick(len(words))] }

func (s *scribbler) definition(depth int) *workflow.Definition {
	d := &workflow.Definition{ID: s.word("w", "w", "w", "", "..", "a/b")}
	for i := range s.pick(8) {
		d.Nodes = append(d.Nodes, s.node(i, depth))
	}
	for range s.pick(12) {
		d.Connections = append(d.Connections, wire(
			s.nodeID(), s.word("value", "text", "items", "yes", "out1", "result", "$error", "nothing"),
			s.nodeID(), s.word("value", "text", "items", "a", "b", "in0", "condition", "type", "item", "nothing"),
		))
	}
	return d
}

func (s *scribbler) nodeID() string { return fmt.Sprint("n", s.pick(9)) }

func (s *scribbler) node(i, depth int) workflow.Node {
	n := workflow.Node{ID: fmt.Sprint("n", i), Disabled: s.pick(8) == 1}
	if s.pick(16) == 1 {
		n.ID = s.nodeID()
	}
	n.Type = s.word("test.pass", "test.async", "test.upper", "test.merge", "test.list", "test.maybe", "test.typed", "test.ports",
		"test.input", "test.output", "test.branch", "test.fail", "test.sub", "test.foreach", "test.mute", "test.nothing")
	n.Config = map[string]any{}
	for range s.pick(4) {
		n.Config[s.word("value", "text", "type", "name", "default", "required", "count", "list", "workflowId", "items", "nothing")] = s.value()
	}
	if (n.Type == "test.sub" || n.Type == "test.foreach" || s.pick(32) == 1) && depth < 4 {
		n.Body = s.definition(depth + 1)
	}
	if s.pick(16) == 1 {
		n.Retry, n.TimeoutMs = &workflow.Retry{MaxAttempts: 2, InitialMs: 1}, 1+s.pick(100)
	}
	return n
}

func (s *scribbler) value() any {
	return []any{
		nil, true, 1, 2.5, "x", "string", "list<int>", "record{a:int?}",
		[]any{1, "x"},
		[]any{},
		map[string]any{"a": 1},
		"w", int64(3), make(chan int),
	}[s.pick(14)]
}
