package enginetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
)

// upperBody returns a body that converts its input "item" to upper case as its output
// "result".
func upperBody() *Flow {
	return NewFlow("").Node("in", "test.input", "name", "item").Node("up", "test.upper").
		Node("out", "test.output", "name", "result").Wire("in.value", "up.text").Wire("up.text", "out.value")
}

func (s suite) bodies(t *testing.T) {
	t.Run("results in the order of the items", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("loop", "test.foreach", "list", []any{"a", "b", "c"}).Body(upperBody()))
		require.Equal(t, map[string]any{"result": []any{"A", "B", "C"}}, p.node("loop"))
		require.Equal(t, map[string]string{"loop": "succeeded"}, p.States(), "nested nodes are not in the result")
		require.Len(t, p.seen(engine.EventNode, "loop/2/up"), 1)
	})
	t.Run("a failure inside keeps its code and names the inner node", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("sub", "test.sub").Body(NewFlow("").Node("x", "test.fail", "code", "odd")))
		require.Equal(t, "failed odd", p.States()["sub"])
		require.Equal(t, `node "x": broken`, p.Nodes["sub"].Error.Message)
	})
	t.Run("a failure inside that is permanent is so outside", func(t *testing.T) {
		for _, inner := range []*Flow{NewFlow("").Node("x", "test.fail", "permanent", true), NewFlow("").Node("x", "test.nan")} {
			p := s.play(t, NewFlow("w").Node("sub", "test.sub").Retry(3).Body(inner))
			require.Equal(t, 1, p.Nodes["sub"].Attempts)
		}
	})
	t.Run("an input of the body is a port of its node", func(t *testing.T) {
		body := NewFlow("").Node("in", "test.input", "name", "item", "type", "string", "required", true).
			Node("out", "test.output", "name", "got").Wire("in.value", "out.value")
		p := s.play(t, NewFlow("w").Node("sub", "test.sub", "item", "x").Body(body))
		require.Equal(t, map[string]any{"got": "x"}, p.node("sub"))
	})
	t.Run("outputs the body does not emit are not taken", func(t *testing.T) {
		body := NewFlow("").Node("a", "test.mute").Node("out", "test.output", "name", "got").Wire("a.value", "out.value")
		p := s.play(t, NewFlow("w").Node("sub", "test.sub").Body(body).Node("b", "test.pass").Wire("sub.got", "b.value"))
		require.Equal(t, map[string]string{"sub": "succeeded", "b": "skipped (sub not_taken)"}, p.States())
	})
	t.Run("stored workflows", func(t *testing.T) {
		kit := NewKit()
		stored := upperBody().Definition()
		stored.ID = "upper"
		kit.Store(stored)
		p := PlayFlow(t, s.open(), kit, NewFlow("w").Node("sub", "test.sub", "workflowId", "upper", "item", "x"), nil)
		require.Equal(t, map[string]any{"result": "X"}, p.node("sub"))
	})
	timed(t, "the timeout of a container ends what it runs", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("loop", "test.foreach", "list", []any{1}).Timeout(50).Body(NewFlow("").Node("a", "test.wait")))
		require.Equal(t, "failed timeout", p.States()["loop"])
		require.Equal(t, 50*time.Millisecond, p.Nodes["loop"].Duration)
		require.Equal(t, engine.StatusCancelled, p.seen(engine.EventNode, "loop/0/a")[0].Status)
	})
	timed(t, "the timeout of a node inside fails the container", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("loop", "test.foreach", "list", []any{1}).Body(NewFlow("").Node("a", "test.deaf", "ms", 5000).Timeout(50)))
		require.Equal(t, "failed timeout", p.States()["loop"])
		require.Contains(t, p.Nodes["loop"].Error.Message, `node "a"`)
	})
}

// detached tests a container that is abandoned while its body continues.
func (s suite) detached(t *testing.T) {
	f := NewFlow("w").Node("loose", "test.detached").Timeout(50).Body(NewFlow("").Node("x", "test.wait", "ms", 5000).Node("y", "test.pass").Wire("x.value", "y.value"))
	timed(t, "what is given up is not heard while the run goes on", func(t *testing.T) {
		long := NewFlow("w").Node("long", "test.wait", "ms", 10_000, "value", 1)
		long.def.Nodes = append(long.def.Nodes, f.def.Nodes...)
		p := s.play(t, long)
		require.Equal(t, map[string]string{"loose": "failed timeout", "long": "succeeded"}, p.States())
		require.Len(t, p.seen(engine.EventStarted, "loose/0/x"), 1)
		require.Empty(t, p.seen(engine.EventNode, "loose/0/x"))
		require.Empty(t, p.seen(engine.EventNode, "loose/0/y"))
	})
	timed(t, "nor after its end", func(t *testing.T) {
		seen := 0
		_, err := s.open().Run(t.Context(), NewKit().Compile(t, f), engine.Options{Observe: func(engine.Event) { seen++ }})
		require.NoError(t, err)
		before := seen
		<-time.After(time.Minute)
		require.Equal(t, before, seen)
	})
}

func (s suite) events(t *testing.T) {
	names := func(p *Play) []string {
		var lines []string
		for _, e := range p.Events {
			lines = append(lines, strings.TrimSpace(string(e.Name)+" "+e.NodeID))
		}
		return lines
	}
	t.Run("inline nodes have no start", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("a", "test.pass", "value", 1).Node("b", "test.async").Wire("a.value", "b.value"))
		require.Equal(t, []string{"started", "event a", "started b", "event b", "completed"}, names(p))
		require.Equal(t, "w", p.Events[0].WorkflowID)
	})
	t.Run("nested nodes go by their path", func(t *testing.T) {
		inner := NewFlow("").Node("a", "test.pass", "value", 1)
		p := s.play(t, NewFlow("w").Node("loop", "test.repeat", "times", 2).Body(NewFlow("").Node("sub", "test.sub").Body(inner)))
		require.Equal(t, []string{
			"started", "started loop", "started loop/0/sub", "event loop/0/sub/0/a", "event loop/0/sub",
			"started loop/1/sub", "event loop/1/sub/0/a", "event loop/1/sub", "event loop", "completed",
		}, names(p))
	})
	t.Run("progress", func(t *testing.T) {
		s.undisturbed(t)
		p := s.play(t, NewFlow("w").Node("a", "test.progress", "steps", 2))
		require.Equal(t, []string{"started", "started a", "progress a", "progress a", "event a", "completed"}, names(p))
		require.Equal(t, engine.Event{Step: 2, Total: 2, Message: "step 2"}, engine.Event{
			Step: p.Events[3].Step, Total: p.Events[3].Total, Message: p.Events[3].Message,
		})
	})
	t.Run("a failed run ends with failed", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("a", "test.fail_inline"))
		require.Equal(t, []string{"started", "event a", "failed"}, names(p))
	})
	t.Run("nothing changes without an observer", func(t *testing.T) {
		f := NewFlow("w").Node("a", "test.progress", "steps", 2).Node("b", "test.fail").Retry(2)
		run, err := s.open().Run(t.Context(), NewKit().Compile(t, f), engine.Options{})
		require.NoError(t, err)
		require.Equal(t, s.play(t, f).States(), (&Play{Result: run.Result()}).States())
	})
}

func (s suite) secrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	p := s.play(t, NewFlow("w").
		Node("before", "test.async", "value", "old "+secret).
		Node("a", "test.conceal", "secret", secret).
		Node("after", "test.pass").
		Node("fail", "test.fail", "message", "wrong password "+secret).
		Wire("before.value", "a.value").Wire("a.value", "after.value").Wire("a.value", "fail.value"))
	text := string(p.Run.AppendJSON(nil, engine.NoElision))
	require.NotContains(t, text, secret)
	require.Contains(t, text, "wrong password [redacted]")
	require.Equal(t, "old [redacted]", p.node("before")["value"], "what was put out before is cleaned too")
	known := slices.IndexFunc(p.Events, func(e engine.Event) bool { return e.Name == engine.EventProgress })
	for _, e := range p.Events[known:] {
		require.NotContains(t, string(e.AppendJSON(nil, engine.NoElision)), secret)
	}
}

func (s suite) reuse(t *testing.T) {
	s.undisturbed(t)
	kit := NewKit()
	flow := NewFlow("w").Node("a", "test.async", "value", "fresh").Node("b", "test.upper").
		Node("loop", "test.repeat", "times", 2).Body(NewFlow("").Node("x", "test.wait", "ms", 0)).
		Wire("a.value", "b.text")
	recorded := map[string]map[string]any{"a": {"value": "kept"}, "loop/1/x": {}, "b": {"text": 1}}
	p := PlayPlan(t.Context(), t, s.open(), kit.Compile(t, flow), engine.Options{
		Reuse: func(path string) (map[string]any, bool) {
			outputs, ok := recorded[path]
			return outputs, ok
		},
	})
	require.Equal(t, engine.StatusCompleted, p.Status)
	require.Zero(t, kit.Calls("test.async"))
	require.Equal(t, 1, kit.Calls("test.wait"), "nodes in bodies are taken over by their path")
	require.True(t, p.seen(engine.EventNode, "a")[0].Reused)
	require.Zero(t, p.Nodes["a"].Attempts)
	require.Equal(t, "KEPT", p.node("b")["text"], "what does not fit its port is not taken over")
}
