package control_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// rounds is a body with the inputs n and keep. Its iterations emit the given records.
func rounds(seen *[]record, emits ...record) *fakeBody {
	return &fakeBody{
		inputs:  []node.Port{in("n", "int"), in("keep", "any")},
		outputs: append(outs("n", "extra"), node.Port{Name: "continue", Type: value.Any()}),
		run: func(_ context.Context, step int, inputs record) (record, error) {
			*seen = append(*seen, inputs)
			return emits[step%len(emits)], nil
		},
	}
}

func TestWhileFeedsOutputsBack(t *testing.T) {
	var seen []record
	body := rounds(&seen,
		record{"n": 2.0, "extra": "a", "continue": true},
		record{"continue": true},
		record{"n": nil, "continue": false})
	body.inputs[0] = in("n", "int?")
	got, err := exec(t.Context(), t, "control.while", record{"n": 1, "keep": "k"}, body)
	require.NoError(t, err)
	require.Equal(t, record{"n": nil, "extra": "a", "iterations": 3}, got)
	require.Equal(t, []record{{"n": 1, "keep": "k"}, {"n": 2, "keep": "k"}, {"n": 2, "keep": "k"}}, seen)
}

func TestWhileRunsAtLeastOnce(t *testing.T) {
	var seen []record
	got, err := exec(t.Context(), t, "control.while", nil, rounds(&seen, record{"continue": false}))
	require.NoError(t, err)
	require.Equal(t, record{"iterations": 1}, got)
	require.Equal(t, []record{{}}, seen)
}

func TestWhileFailures(t *testing.T) {
	tests := []struct {
		name          string
		limit         int
		emits         []record
		code, message string
	}{
		{"never ends", 3, []record{{"continue": true}}, "limit_exceeded", "after 3 rounds"},
		{"silent", 9, []record{{"continue": true}, {"n": 1}}, "failed", `round 1: the body did not emit "continue"`},
		{"no bool", 9, []record{{"continue": 1}}, "type_error", "not int"},
		{"null", 9, []record{{"continue": nil}}, "type_error", "not null"},
		{"wrong type", 9, []record{{"n": "x", "continue": true}}, "type_error", `round 1: input "n": expected int`},
		{"no rounds", 0, []record{{}}, "invalid_input", "maxIterations is 0"},
		{"too many rounds", 1_000_001, []record{{}}, "invalid_input", "1000000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var seen []record
			_, err := exec(t.Context(), t, "control.while", record{"maxIterations": tt.limit}, rounds(&seen, tt.emits...))
			require.Equal(t, tt.code, node.CodeOf(err))
			require.ErrorContains(t, err, tt.message)
			require.True(t, node.IsPermanent(err))
		})
	}
}

func TestWhileLastRoundMayEndIt(t *testing.T) {
	var seen []record
	got, err := exec(t.Context(), t, "control.while", record{"maxIterations": 2}, rounds(&seen, record{"continue": true}, record{"continue": false}))
	require.NoError(t, err)
	require.Equal(t, record{"iterations": 2}, got)
}

func TestWhileNamesTheRoundThatFailed(t *testing.T) {
	body := &fakeBody{outputs: outs("continue"), run: func(_ context.Context, step int, _ record) (record, error) {
		if step == 4 {
			return nil, node.Errorf(node.CodeUnavailable, "it is down")
		}
		return record{"continue": true}, nil
	}}
	_, err := exec(t.Context(), t, "control.while", nil, body)
	require.Equal(t, node.CodeUnavailable, node.CodeOf(err))
	require.EqualError(t, err, "round 4: it is down")
	require.False(t, node.IsPermanent(err))
}

func TestWhileEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	body := &fakeBody{outputs: outs("continue"), run: func(_ context.Context, step int, _ record) (record, error) {
		if step == 2 {
			cancel()
		}
		return record{"continue": true}, nil
	}}
	_, err := exec(ctx, t, "control.while", nil, body)
	require.ErrorIs(t, err, context.Canceled)
}
