package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

func TestBriefsTellRecords(t *testing.T) {
	started := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	s := runSummary{RunID: "r", WorkflowID: "w", StartedAt: started, StartedBy: &run.StartedBy{Type: "cron"}}
	b := briefOf(&s)
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
