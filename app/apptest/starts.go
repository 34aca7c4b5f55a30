package apptest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

func testLists(t *testing.T, s *shared) {
	s.release()
	var ids []string
	for range 7 {
		id := s.start(t, gated, run.Request{})
		s.end(t, id)
		ids = append([]string{id}, ids...) // newest first
	}
	s.breaks("bad", true)
	s.end(t, s.start(t, rich, run.Request{}))
	var listed []string
	q := run.Query{WorkflowID: "gated", Status: engine.StatusCompleted, Limit: 3}
	for {
		page, err := s.app().Runs(t.Context(), q)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page.Items), 3)
		for _, r := range page.Items {
			require.Nil(t, r.Result)
			listed = append(listed, r.RunID)
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	require.Equal(t, ids, listed)
}

func testResume(t *testing.T, s *shared) {
	s.release()
	s.breaks("last", true)
	id := s.start(t, gated, run.Request{})
	require.Equal(t, "broken", s.end(t, id).Error.Code)
	s.breaks("last", false)
	resumed, err := s.app().Resume(t.Context(), id, run.Resumption{})
	require.NoError(t, err)
	last := s.end(t, resumed)
	require.Equal(t, engine.EventCompleted, last.Name)
	require.Equal(t, map[string]any{"value": 1}, last.Result.Nodes["last"].Outputs)
	require.Equal(t, []int{1, 1, 2}, []int{s.count("first"), s.count("gate"), s.count("last")}, "what has succeeded is not called again")
	rec, err := s.app().Record(t.Context(), resumed)
	require.NoError(t, err)
	require.Equal(t, id, rec.ResumedFrom)
	_, err = s.app().Resume(t.Context(), resumed, run.Resumption{})
	require.ErrorIs(t, err, runs.ErrRunNotResumable, "it has completed")
}

// atOnce calls f so many times at once, of one App after the other, and returns the runs
// that have begun.
func (s *shared) atOnce(t *testing.T, n int, refused error, f func(a *app.App) (string, error)) map[string]int {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	began := map[string]int{}
	for range n {
		a := s.app()
		wg.Go(func() {
			id, err := f(a)
			if err != nil {
				assert.ErrorIs(t, err, refused)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			began[id]++
		})
	}
	wg.Wait()
	return began
}

func testResumesAtOnce(t *testing.T, s *shared) {
	id := s.atGate(t)
	require.NoError(t, s.app().Cancel(t.Context(), id))
	s.end(t, id)
	began := s.atOnce(t, 16, runs.ErrRunNotResumable, func(a *app.App) (string, error) {
		return a.Resume(t.Context(), id, run.Resumption{})
	})
	require.Len(t, began, 1, "a run is resumed by one run at a time")
	s.release()
	for resumed := range began {
		require.Equal(t, engine.EventCompleted, s.end(t, resumed).Name)
	}
}

func testKeys(t *testing.T, s *shared) {
	s.release()
	id := s.start(t, gated, run.Request{IdempotencyKey: "one"})
	require.Equal(t, id, s.start(t, gated, run.Request{IdempotencyKey: "one"}))
	s.end(t, id)
	require.Equal(t, id, s.start(t, gated, run.Request{IdempotencyKey: "one"}))
	require.Equal(t, 1, s.count("first"))
	for range s.apps {
		_, err := s.app().StartJSON(t.Context(), []byte(rich), run.Request{IdempotencyKey: "one"})
		require.ErrorIs(t, err, runs.ErrKeyReused)
	}
}

func testStartsWithOneKey(t *testing.T, s *shared) {
	began := s.atOnce(t, 64, nil, func(a *app.App) (string, error) {
		return a.StartJSON(t.Context(), []byte(gated), run.Request{IdempotencyKey: "one"})
	})
	require.Len(t, began, 1)
	s.release()
	for id, times := range began {
		require.Equal(t, 64, times)
		require.Equal(t, engine.EventCompleted, s.end(t, id).Name)
	}
	require.Equal(t, 1, s.count("first"))
}
