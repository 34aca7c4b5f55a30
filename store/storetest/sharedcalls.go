package storetest

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

func placed(n int, path string) store.PlacedCall {
	return store.PlacedCall{RunID: RunID(n), ID: uuid.NewString(), Task: uuid.NewString(), Path: path, Number: 1, Queue: "gpu", Inputs: []byte(`{"a":"\u0000","b":2.0}`)}
}

func stateOf(t *testing.T, s store.SharedCalls, id string) store.CallState {
	t.Helper()
	states, err := s.CallStates(t.Context(), []string{id, uuid.NewString(), "?"})
	require.NoError(t, err)
	require.Len(t, states, 1)
	return states[0]
}

func outcomesOf(t *testing.T, s store.SharedCalls, ids ...string) map[string][]byte {
	t.Helper()
	all, err := s.Outcomes(t.Context(), append(ids, uuid.NewString(), "?"))
	require.NoError(t, err)
	return all
}

func testCalls(t *testing.T, s SharedStore) {
	driver, worker := s.Open(), s.Open()
	begin(t, driver, 1)
	begin(t, driver, 2)
	first, second := placed(1, "loop/0/a"), placed(1, "b")
	second.Once, second.Number = true, 3
	for _, c := range [][]store.PlacedCall{{}, {first, second}, {placed(2, "a")}, {first}} {
		require.NoError(t, driver.PlaceCalls(t.Context(), c))
	}
	all, err := worker.PlacedCalls(t.Context(), RunID(1))
	require.NoError(t, err)
	bare := []store.PlacedCall{first, second}
	bare[0].Inputs, bare[1].Inputs = nil, nil
	require.Equal(t, bare, all)
	require.Equal(t, store.CallState{ID: first.ID}, stateOf(t, driver, first.ID))
	require.Empty(t, outcomesOf(t, driver, first.ID))

	call, before, err := worker.BeginAnswer(t.Context(), first.ID, "one")
	require.NoError(t, err)
	require.Equal(t, first, call)
	require.Equal(t, store.CallState{ID: first.ID}, before)
	_, before, err = worker.BeginAnswer(t.Context(), first.ID, "other")
	require.NoError(t, err)
	require.Equal(t, "one", before.Worker, "who has died")
	require.NoError(t, worker.TellProgress(t.Context(), first.ID, "half"))
	require.Equal(t, store.CallState{ID: first.ID, Worker: "other", Progress: "half"}, stateOf(t, driver, first.ID))

	large := bytes.Repeat([]byte("x"), 3<<20)
	require.NoError(t, worker.AnswerCalls(t.Context(), []store.CallAnswer{{ID: first.ID, Outcome: large}}))
	require.NoError(t, worker.AnswerCalls(t.Context(), []store.CallAnswer{
		{ID: first.ID, Outcome: []byte("late")}, {ID: "?", Outcome: []byte("{}")}, {ID: uuid.NewString(), Outcome: []byte("{}")}, {ID: second.ID, Outcome: []byte("2")},
	}))
	require.NoError(t, worker.AnswerCalls(t.Context(), nil))
	require.True(t, stateOf(t, driver, first.ID).Answered)
	outcomes := outcomesOf(t, driver, first.ID, second.ID)
	require.Len(t, outcomes, 2)
	require.True(t, bytes.Equal(large, outcomes[first.ID]), "the first one counts")
	require.Equal(t, "2", string(outcomes[second.ID]))

	require.NoError(t, driver.CancelCall(t.Context(), second.ID))
	require.True(t, stateOf(t, worker, second.ID).Cancelled)
	all, err = worker.PlacedCalls(t.Context(), RunID(1))
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func testCallsOfNoRun(t *testing.T, s SharedStore) {
	runs := s.Open()
	one := func(c store.PlacedCall) []store.PlacedCall { return []store.PlacedCall{c} }
	require.ErrorIs(t, runs.PlaceCalls(t.Context(), one(placed(1, "a"))), store.ErrRunNotFound)
	begin(t, runs, 1)
	c := placed(1, "a")
	require.NoError(t, runs.PlaceCalls(t.Context(), one(c)))
	write(t, take(t, runs, 1, "driver"), LastFrame(1, 1, engine.StatusCompleted))
	late := placed(1, "b")
	require.ErrorIs(t, runs.PlaceCalls(t.Context(), one(late)), store.ErrRunEnded)
	require.NoError(t, runs.Tidy(t.Context(), store.Retention{}))
	states, err := runs.CallStates(t.Context(), []string{c.ID})
	require.NoError(t, err)
	require.Empty(t, states, "of a run that has ended nobody asks")
	for _, id := range []string{c.ID, "?"} {
		_, _, err = runs.BeginAnswer(t.Context(), id, "worker")
		require.ErrorIs(t, err, store.ErrNoCall)
		require.NoError(t, runs.AnswerCalls(t.Context(), []store.CallAnswer{{ID: id, Outcome: []byte("{}")}}))
		require.NoError(t, runs.CancelCall(t.Context(), id))
		require.Empty(t, outcomesOf(t, runs, id))
	}
	none, err := runs.PlacedCalls(context.WithoutCancel(t.Context()), "?")
	require.NoError(t, err)
	require.Empty(t, none)
}

// testOneBeginsFirst begins a call from many goroutines. Exactly one is the first.
func testOneBeginsFirst(t *testing.T, s SharedStore) {
	runs := s.Open()
	begin(t, runs, 1)
	c := placed(1, "a")
	require.NoError(t, runs.PlaceCalls(t.Context(), []store.PlacedCall{c}))
	var mu sync.Mutex
	firsts := 0
	for _, err := range together(s, 4, 16, func(h store.SharedRuns, _ int) error {
		_, before, err := h.BeginAnswer(t.Context(), c.ID, uuid.NewString())
		mu.Lock()
		defer mu.Unlock()
		if before.Worker == "" {
			firsts++
		}
		return err
	}) {
		require.NoError(t, err)
	}
	require.Equal(t, 1, firsts)
}
