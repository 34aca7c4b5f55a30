package fold_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/fold"
)

// tape turns bytes into choices; an empty one gives zeros.
type tape []byte

func (t *tape) next(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

// event makes up any event, whether an engine would tell it or not.
func (t *tape) event() engine.Event {
	names := []engine.EventName{engine.EventStarted, engine.EventNode, engine.EventProgress, engine.EventNode, engine.EventStarted, engine.EventFailed, "other"}
	ids := []string{"a", "loop", "loop/0/b", "loop/1/b", "loop/0/in", "loop/0/in/2/c", "loop/1/in/0/c", "", "/", "loop/", "//x"}
	e := engine.Event{
		Name: names[t.next(len(names))], NodeID: ids[t.next(len(ids))], Time: at(t.next(100)), Status: engine.Status(t.next(7)),
		Duration: time.Duration(t.next(50)), Step: t.next(3), Total: t.next(3), Attempts: t.next(4),
	}
	if t.next(2) == 1 {
		e.Error = &engine.Failure{Code: "x"}
	}
	values := []any{nil, 1, []any{1, 2}, engine.Elide(70_000), map[string]any{"$elided": 1}}
	e.Outputs = map[string]any{"v": values[t.next(len(values))]}
	if e.Name == engine.EventFailed && t.next(2) == 1 {
		e.Result = &engine.Result{Status: engine.StatusCancelled, Order: []string{"a", "a", "x"}, Nodes: map[string]engine.NodeResult{
			"a": {Status: e.Status, Attempts: t.next(2), Outputs: e.Outputs}, "loop": {Status: e.Status},
		}}
	}
	return e
}

func FuzzState(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x01\x02\x01\x03\x05\x05\x07"))
	f.Add([]byte("loop/0/b starts, ends, and is elided in the end"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, s, steps := tape(data), &fold.State{}, 0
		unknown := map[string]bool{}
		for len(events) > 0 {
			for _, step := range s.Apply(events.event()) {
				steps++
				require.Nil(t, step.Retry)
				require.Same(t, s.Node(step.Path.Node()).Running[step.Path], (*fold.Step)(nil))
			}
			done := 0
			rows := s.Rows()
			require.Len(t, rows, len(s.Nodes))
			for _, n := range rows {
				done += n.Done
				require.LessOrEqual(t, n.Failed, n.Done)
				require.Equal(t, n.Done > 0, n.Last != nil)
				require.Equal(t, n.Done > 0 && len(n.Running) == 0, n.Over())
				require.Len(t, n.Under(), len(n.Running))
				require.False(t, unknown[n.Name] && n.Items["v"] != fold.Unknown, "what nobody counted stays so")
				require.GreaterOrEqual(t, n.Items["v"], fold.Unknown)
				unknown[n.Name] = n.Items["v"] == fold.Unknown
				require.True(t, !s.Over() || len(n.Running) == 0, "nothing runs after the end")
				require.NotPanics(t, func() { _, _, _ = n.Retry(), n.Rounds(), n.State() })
			}
			require.Equal(t, steps, done, "each step is handed out once")
			require.Len(t, s.Result([]string{"a", "never"}).Nodes, 2)
		}
	})
}
