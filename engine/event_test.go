package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingBesideTheTerminalEvent(t *testing.T) {
	var seen []Event
	r := &recorder{runID: "r", ctx: t.Context(), observe: func(e Event) { seen = append(seen, e) }}
	r.emit(Event{Name: EventStarted})
	r.emit(Event{Name: EventNode})
	require.NoError(t, r.end(t.Context()))
	for _, name := range []EventName{EventProgress, EventFailed, EventProgress} {
		r.emit(Event{Name: name})
	}
	require.Len(t, seen, 3)
	require.Equal(t, 3, seen[2].Seq)
	require.True(t, seen[2].Name.Terminal())
}
