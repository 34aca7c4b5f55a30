package apptest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// gated has a step, a gate, and a step that may fail behind it.
const gated = `{"id":"gated","nodes":[
	{"id":"first","type":"test.step","config":{"label":"first","value":1}},
	{"id":"gate","type":"test.gate","config":{"label":"gate"}},
	{"id":"last","type":"test.step","config":{"label":"last"}}],
	"connections":[{"fromNodeId":"first","fromPort":"value","toNodeId":"gate","toPort":"value"},
	{"fromNodeId":"gate","fromPort":"value","toNodeId":"last","toPort":"value"}]}`

// atGate starts gated and waits until one more call is at its gate.
func (s *shared) atGate(t *testing.T) string {
	t.Helper()
	before := s.count("gate")
	id := s.start(t, gated, run.Request{})
	s.reaches(t, before+1)
	return id
}

// reaches waits until so many calls have come to gates.
func (s *shared) reaches(t *testing.T, calls int) {
	t.Helper()
	require.Eventually(t, func() bool { return s.count("gate") >= calls }, patience, 5*time.Millisecond, "no run comes to its gate")
}

func testCancel(t *testing.T, s *shared) {
	id := s.atGate(t)
	require.NoError(t, s.app().Cancel(t.Context(), id))
	last := s.end(t, id)
	require.Equal(t, engine.EventFailed, last.Name)
	require.Equal(t, engine.StatusCancelled, last.Result.Status)
	require.Equal(t, engine.StatusCancelled, last.Result.Nodes["gate"].Status)
	require.Zero(t, s.count("last"))
	for range s.apps {
		require.ErrorIs(t, s.app().Cancel(t.Context(), id), runs.ErrRunEnded)
	}
}

func testCancelAgainstEnd(t *testing.T, s *shared) {
	s.release()
	for range 20 {
		id := s.start(t, gated, run.Request{})
		a := s.app()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := a.Cancel(t.Context(), id); err != nil {
				assert.ErrorIs(t, err, runs.ErrRunEnded)
			}
		})
		end := s.end(t, id)
		wg.Wait()
		for range s.apps {
			require.Equal(t, end, s.end(t, id), "there is one end, the same for all")
		}
		s.places(t)
	}
}

func testPlaces(t *testing.T, s *shared) {
	var ids []string
	for range runs.MaxAsync {
		ids = append(ids, s.start(t, gated, run.Request{}))
	}
	for range s.apps {
		_, err := s.app().StartJSON(t.Context(), []byte(gated), run.Request{})
		require.ErrorIs(t, err, runs.ErrRunLimit)
	}
	s.reaches(t, runs.MaxAsync)
	require.NoError(t, s.app().Cancel(t.Context(), ids[0]))
	s.end(t, ids[0])
	ids = append(ids, s.start(t, gated, run.Request{})) // a caller that sees the end of a run finds its slot free
	s.release()
	for _, id := range ids[1:] {
		require.Equal(t, engine.EventCompleted, s.end(t, id).Name)
	}
}

func testDeleting(t *testing.T, s *shared) {
	id := s.atGate(t)
	require.ErrorIs(t, s.app().DeleteRun(t.Context(), id), store.ErrRunRunning)
	s.release()
	s.end(t, id)
	require.NoError(t, s.app().DeleteRun(t.Context(), id))
	for range s.apps {
		s.gone(t, id)
	}
}

func testUnknown(t *testing.T, s *shared) {
	for _, id := range []string{"01990000-0000-7000-8000-000000000001", "no such run", "../x", ""} {
		s.gone(t, id)
	}
}

// gone checks that there is no such run.
func (s *shared) gone(t *testing.T, id string) {
	t.Helper()
	_, err := s.app().Record(t.Context(), id)
	require.ErrorIs(t, err, store.ErrRunNotFound)
	_, err = s.app().Follow(t.Context(), id, 0)
	require.ErrorIs(t, err, store.ErrRunNotFound)
	require.ErrorIs(t, s.app().Cancel(t.Context(), id), store.ErrRunNotFound)
	require.ErrorIs(t, s.app().DeleteRun(t.Context(), id), store.ErrRunNotFound)
	_, err = s.app().Resume(t.Context(), id, run.Resumption{})
	require.ErrorIs(t, err, store.ErrRunNotFound)
}
