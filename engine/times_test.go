package engine_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
)

// TestTimesInEvents checks that times and durations are written as the packages time and
// strconv write them.
func TestTimesInEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // as varied as it has to be
	zone := time.FixedZone("east", 7200)
	for i := range 2000 {
		at := time.Unix(r.Int64N(4e9)-1e9, r.Int64N(1e9)).In(zone)
		switch i {
		case 0:
			at = time.Time{}
		case 1:
			at = time.Date(12345, 1, 2, 3, 4, 5, 6, time.UTC)
		case 2:
			at = time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC)
		}
		took := time.Duration(r.Int64N(1 << (i % 50)))
		e := engine.Event{Name: engine.EventNode, NodeID: "a", Time: at, Duration: took}
		var told struct {
			Time       string      `json:"time"`
			DurationMs json.Number `json:"durationMs"`
		}
		require.NoError(t, json.Unmarshal(e.AppendJSON(nil, engine.NoElision), &told))
		require.Equal(t, at.UTC().Format("2006-01-02T15:04:05.000000Z"), told.Time)
		require.Equal(t, strconv.FormatFloat(float64(took.Microseconds())/1000, 'f', -1, 64), told.DurationMs.String())
	}
}

// TestTimesInResults checks the clock that formats each second of a result's times only
// once.
func TestTimesInResults(t *testing.T) {
	begun := time.Date(2024, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	times := []time.Time{begun, begun.Add(time.Microsecond), begun, time.Date(12345, 1, 2, 3, 4, 5, 0, time.UTC), begun, time.Unix(0, 0), {}}
	r := engine.Result{StartedAt: begun, FinishedAt: begun, Nodes: map[string]engine.NodeResult{}}
	for i, at := range times {
		r.Nodes[strconv.Itoa(i)] = engine.NodeResult{StartedAt: at, Attempts: 1}
	}
	var told struct {
		Nodes map[string]struct {
			StartedAt string `json:"startedAt"`
		} `json:"nodes"`
	}
	require.NoError(t, json.Unmarshal(r.AppendJSON(nil, engine.NoElision), &told))
	for i, at := range times {
		require.Equal(t, at.UTC().Format("2006-01-02T15:04:05.000000Z"), told.Nodes[strconv.Itoa(i)].StartedAt)
	}
}
