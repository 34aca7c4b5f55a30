package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// sketchNodes behave as their config says.
type sketchNodes struct{}

func (sketchNodes) Install(r *node.Registrar) {
	flag := func(name string) node.Port { return node.Port{Name: name, Type: value.Bool(), Literal: true} }
	inputs := []node.Port{flag("emitX"), flag("emitY"), flag("truth"), flag("fail")}
	for _, typ := range []string{"sketch.inline", "sketch.async"} {
		r.Register(node.Node{Spec: node.Spec{Type: typ, Inline: typ == "sketch.inline", Inputs: inputs}, Bind: bindSketch})
	}
}

func bindSketch(b node.Binding) (node.Bound, []node.Problem) {
	is := func(name string) bool { return b.Config[name] == true }
	emitX, emitY, truth, fail := is("emitX"), is("emitY"), is("truth"), is("fail")
	return node.Bound{
		Inputs: append([]node.Port{
			{Name: "a", Optional: true},
			{Name: "p", Optional: true, Partial: true},
			{Name: "q", Optional: true, Partial: true},
			{Name: "l", Type: value.ListOf(value.Any()), Optional: true},
		}, b.Spec.Inputs...),
		Outputs: []node.Port{{Name: "x"}, {Name: "y"}},
		Call: func(_ context.Context, _, out []any) error {
			if emitX {
				out[0] = truth
			}
			if emitY {
				out[1] = nil
			}
			if fail {
				return errors.New("as told")
			}
			return nil
		},
	}, nil
}

// checkSketch runs the sketch and compares the outcome of its nodes with the model.
func checkSketch(t *testing.T, data []byte) {
	t.Helper()
	s := sketchOf(data)
	registry, err := node.NewRegistry(sketchNodes{})
	require.NoError(t, err)
	plan, err := engine.Compile(t.Context(), s.flow().Definition(), engine.Env{Registry: registry})
	require.NoError(t, err)
	play := enginetest.PlayPlan(t.Context(), t, &engine.Local{}, plan, engine.Options{})
	want := s.states()
	require.Equal(t, want, play.States())
	status := engine.StatusCompleted
	for _, state := range want {
		if state == "failed failed" || state == "failed type_error" {
			status = engine.StatusFailed
		}
	}
	require.Equal(t, status, play.Status)
	require.Len(t, play.Order, len(s), "every node ends once")
}

func TestScheduleAgainstModel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	outcomes := map[string]int{}
	for range 2000 {
		data := make([]byte, random.IntN(300))
		for i := range data {
			data[i] = byte(random.Uint32())
		}
		checkSketch(t, data)
		for _, state := range sketchOf(data).states() {
			word, _, _ := strings.Cut(state, " (n")
			outcomes[word]++
			if strings.HasPrefix(state, "skipped") {
				outcomes[state[strings.LastIndex(state, " ")+1:len(state)-1]]++
			}
		}
	}
	for _, word := range []string{"succeeded", "failed failed", "failed failed handled", "failed type_error", "not_taken", "failed", "disabled"} {
		require.Greater(t, outcomes[word], 20, "the sketches are too tame: %v", outcomes)
	}
}

func FuzzSchedule(f *testing.F) {
	f.Add([]byte{5, 0, 0, 0, 1, 0, 0})
	f.Add([]byte{9, 4, 0, 0, 5, 0, 3, 0, 1, 0x20, 13, 1, 2, 0, 0, 8, 0x3f, 1, 1, 2, 2, 3, 3})
	f.Fuzz(checkSketch)
}
