package apptest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// Runs checks that Apps start, tell, keep, end and go on with runs as they must. open makes
// Apps with the nodes of a plugin that share their runs, of which there are none yet, or one;
// it closes them when the test has ended.
func Runs(t *testing.T, open func(t *testing.T, p node.Plugin) []*app.App) {
	for name, test := range map[string]func(t *testing.T, s *shared){
		"a run is told and kept": testTold, "any number of followers": testFollowers, "large values": testLargeValues,
		"lists": testLists, "a cancel": testCancel, "a cancel against the end": testCancelAgainstEnd, "resume": testResume,
		"resumes at once": testResumesAtOnce, "idempotency keys": testKeys, "starts with one key": testStartsWithOneKey,
		"places": testPlaces, "deleting": testDeleting, "what there is not": testUnknown,
	} {
		t.Run(name, func(t *testing.T) {
			k := newKit()
			s := &shared{kit: k, apps: open(t, k)}
			t.Cleanup(k.release) // before the Apps close
			test(t, s)
		})
	}
}

// patience is how long what has to happen may take on a slow machine.
const patience = time.Minute

// shared are Apps that share their runs, and the nodes that they have.
type shared struct {
	*kit

	apps []*app.App
	turn int
}

// app returns one App after the other, for the test's own goroutine.
func (s *shared) app() *app.App {
	s.turn++
	return s.apps[s.turn%len(s.apps)]
}

// start starts a workflow.
func (s *shared) start(t *testing.T, document string, q run.Request) string {
	t.Helper()
	id, err := s.app().StartJSON(t.Context(), []byte(document), q)
	require.NoError(t, err)
	return id
}

// follow returns all events of a run behind number after, up to its end.
func follow(t *testing.T, a *app.App, runID string, after int) []engine.Event {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("the run "+runID+" does not end"))
	defer cancel()
	var events []engine.Event
	for e, err := range a.Events(ctx, runID, after) {
		require.NoError(t, err)
		after++
		require.Equal(t, after, e.Seq, "numbers are dense")
		require.Equal(t, runID, e.RunID)
		if n := len(events); n > 0 {
			require.False(t, events[n-1].Name.Terminal(), "nothing follows the last event")
			require.False(t, e.Time.Before(events[n-1].Time), "time does not go backwards")
		}
		events = append(events, told(t, e))
	}
	return events
}

// told returns an event as everybody hears it: some hear it before it has been written, and
// with times that are finer.
func told(t *testing.T, e engine.Event) engine.Event {
	t.Helper()
	text, err := e.MarshalJSON()
	require.NoError(t, err)
	heard := engine.Event{Name: e.Name}
	require.NoError(t, heard.UnmarshalJSON(text))
	return heard
}

// end follows a run to its end and returns its last event.
func (s *shared) end(t *testing.T, runID string) engine.Event {
	t.Helper()
	events := follow(t, s.app(), runID, 0)
	require.NotEmpty(t, events)
	last := events[len(events)-1]
	require.True(t, last.Name.Terminal(), "the last event is %q", last.Name)
	return last
}

// places waits until no run takes a place any more, so that there is one for the next.
func (s *shared) places(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		n := 0
		for _, a := range s.apps {
			n += a.Stats().Async
		}
		return n == 0
	}, patience, 5*time.Millisecond, "runs that have ended go on taking places")
}
