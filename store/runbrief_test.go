package store

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// There may be hundreds of thousands of entries: 176 bytes is a size that Go allocates.
func TestEntriesOfRunsAreSmall(t *testing.T) {
	require.LessOrEqual(t, reflect.TypeFor[runEntry[fileRun]]().Size(), uintptr(176))
}

func TestBriefsTellRecords(t *testing.T) {
	started := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	s := runSummary{RunID: "r", WorkflowID: "w", StartedAt: started, StartedBy: &run.StartedBy{Type: "cron"}}
	b := s.brief()
	record := run.Record{
		RunID: "r", WorkflowID: "w", StartedAt: started, StartedBy: s.StartedBy, Status: engine.StatusWaiting,
	}
	require.Equal(t, record, b.record())
	b.goOn(1)
	record.Status = engine.StatusRunning
	require.Equal(t, record, b.record())
	b.end(ending{engine.StatusFailed, started.Add(time.Microsecond)})
	record.Status, record.FinishedAt = engine.StatusFailed, started.Add(time.Microsecond)
	require.Equal(t, record, b.record())
}
