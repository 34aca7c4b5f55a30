package engine

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNothingAfterTheTerminalEvent(t *testing.T) {
	var seen []Event
	r := &recorder{runID: "r", observe: func(e Event) { seen = append(seen, e) }}
	for _, name := range []EventName{EventStarted, EventNode, EventFailed, EventProgress, EventCompleted} {
		r.emit(Event{Name: name})
	}
	require.Len(t, seen, 3)
	require.Equal(t, 3, seen[2].Seq)
	require.True(t, seen[2].Name.Terminal())
}
