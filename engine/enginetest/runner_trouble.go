package enginetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
)

func (s suite) failures(t *testing.T) {
	tests := []struct{ typ, want, message string }{
		{"test.fail", "failed failed", "broken"},
		{"test.fail_inline", "failed failed", "broken"},
		{"test.panic", "failed panic", "the node panicked: boom"},
		{"test.panic_inline", "failed panic", "the node panicked: boom"},
		{"test.exit", "failed panic", "the node called runtime.Goexit"},
		{"test.nan", "failed not_finite", `output "value": not a finite number`},
		{"test.map_nan", "failed not_finite", `output "value": [1]: not a finite number`},
		{"test.map_foreign", "failed type_error", `output "value": the Go type chan int is no value`},
		{"test.map_extra", "failed type_error", `"surprise"`},
		{"test.map_type", "failed type_error", `output "value": expected int, got string`},
		{"test.map_error", "failed failed", "plain error"},
	}
	for _, tt := range tests {
		t.Run(tt.typ, func(t *testing.T) {
			p := s.play(t, NewFlow("w").Node("a", tt.typ).Node("sibling", "test.async", "value", 1))
			require.Equal(t, map[string]string{"a": tt.want, "sibling": "succeeded"}, p.States())
			require.Contains(t, p.Nodes["a"].Error.Message, tt.message)
			require.Equal(t, engine.StatusFailed, p.Status)
			require.Equal(t, "a", p.Error.NodeID)
		})
	}
	t.Run("the run's error is of the first unhandled failure", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("h", "test.fail_inline", "message", "handled").Node("a", "test.fail_inline", "message", "first").
			Node("sink", "test.pass").Node("b", "test.fail_inline", "message", "second").Wire("h.$error", "sink.value"))
		require.Equal(t, &engine.Failure{Code: "failed", Message: "first", NodeID: "a"}, p.Error)
	})
}

func (s suite) retries(t *testing.T) {
	timed(t, "until it works, with pauses within their caps", func(t *testing.T) {
		s.undisturbed(t)
		kit := NewKit()
		began := time.Now()
		p := PlayFlow(t, s.open(), kit, NewFlow("w").Node("a", "test.fail", "times", 3, "value", 1).Retry(5), nil)
		require.Equal(t, "succeeded", p.States()["a"])
		require.Equal(t, 4, p.Nodes["a"].Attempts)
		require.Equal(t, 4, kit.Calls("test.fail"))
		require.Len(t, p.seen(engine.EventStarted, "a"), 1)
		var total time.Duration
		for i, e := range p.seen(engine.EventProgress, "a") {
			require.LessOrEqual(t, e.RetryIn, 200*time.Millisecond<<i)
			require.Equal(t, "broken", e.Error.Message)
			total += e.RetryIn
		}
		require.Equal(t, total, time.Since(began))
		require.Equal(t, total, p.Nodes["a"].Duration, "a node's duration covers its pauses")
	})
	timed(t, "until there are no attempts left; then the error port gets the failure", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("a", "test.fail").Retry(3).Node("h", "test.pass").Wire("a.$error", "h.value"))
		require.Equal(t, 3, p.Nodes["a"].Attempts)
		require.Len(t, p.seen(engine.EventProgress, "a"), 2)
		require.Equal(t, map[string]string{"a": "failed failed handled", "h": "succeeded"}, p.States())
	})
	timed(t, "of a timeout", func(t *testing.T) {
		p := s.play(t, NewFlow("w").Node("a", "test.wait").Timeout(50).Retry(2))
		require.Equal(t, 2, p.Nodes["a"].Attempts)
		require.Equal(t, "failed timeout", p.States()["a"])
	})
	never := []struct {
		name string
		flow *Flow
	}{
		{"not after a permanent failure", NewFlow("w").Node("a", "test.fail", "permanent", true).Retry(3)},
		{"not after a type error", NewFlow("w").Node("a", "test.fail", "code", node.CodeTypeError).Retry(3)},
		{"not after an input error", NewFlow("w").Node("a", "test.fail", "code", node.CodeInvalidInput).Retry(3)},
		{"not of inputs that do not fit", NewFlow("w").Node("x", "test.pass", "value", 1).Node("a", "test.upper").Retry(3).Wire("x.value", "a.text")},
		{"not without a retry", NewFlow("w").Node("a", "test.fail")},
	}
	for _, tt := range never {
		timed(t, tt.name, func(t *testing.T) {
			p := s.play(t, tt.flow)
			require.Equal(t, 1, p.Nodes["a"].Attempts)
			require.Equal(t, engine.StatusFailed, p.Status)
			require.Empty(t, p.seen(engine.EventProgress, "a"))
		})
	}
}

func (s suite) timeouts(t *testing.T) {
	tests := []struct {
		name string
		flow *Flow
		took time.Duration
	}{
		{"of the node", NewFlow("w").Node("a", "test.wait").Timeout(50), 50 * time.Millisecond},
		{"of the type", NewFlow("w").Node("a", "test.short"), 100 * time.Millisecond},
		{"of the node before that of the type", NewFlow("w").Node("a", "test.short").Timeout(2000), 2 * time.Second},
		{"the default", NewFlow("w").Node("a", "test.wait"), 30 * time.Second},
	}
	for _, tt := range tests {
		timed(t, tt.name, func(t *testing.T) {
			p := s.play(t, tt.flow)
			require.Equal(t, "failed timeout", p.States()["a"])
			require.Equal(t, tt.took, p.Nodes["a"].Duration)
			require.Contains(t, p.Nodes["a"].Error.Message, tt.took.String())
		})
	}
	timed(t, "are the deadlines of contexts; the nearest counts", func(t *testing.T) {
		inner := NewFlow("").Node("d", "test.deadline").Node("o", "test.output", "name", "ms").Wire("d.ms", "o.value")
		p := s.play(t, NewFlow("w").Node("a", "test.deadline").Timeout(5000).Node("sub", "test.sub").Timeout(1000).Body(inner).
			Node("long", "test.sub").Body(inner))
		require.Equal(t, map[string]any{"ms": 5000}, p.node("a"))
		require.Equal(t, map[string]any{"ms": 1000}, p.node("sub"))
		require.Equal(t, map[string]any{"ms": 30_000}, p.node("long"))
	})
	timed(t, "a call that ignores its context is abandoned", func(t *testing.T) {
		s.undisturbed(t)
		p := s.play(t, NewFlow("w").Node("a", "test.deaf", "ms", 10_000).Timeout(50).
			Node("long", "test.wait", "ms", 20_000, "value", 1))
		require.Equal(t, map[string]string{"a": "failed timeout", "long": "succeeded"}, p.States())
		require.Nil(t, p.Nodes["a"].Outputs, "it writes nothing into the run")
		require.LessOrEqual(t, p.Nodes["a"].Duration, 1050*time.Millisecond)
		reports := p.seen(engine.EventProgress, "a")
		require.Len(t, reports, 1, "and what it says later is not heard")
		require.Contains(t, reports[0].Message, "abandoned")
	})
}
