package runindex

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runtext"
)

func TestBriefsTellRecords(t *testing.T) {
	started := time.Date(2024, 5, 6, 7, 8, 9, 123456000, time.UTC)
	s := runtext.Summary{RunID: "r", WorkflowID: "w", StartedAt: started, StartedBy: &run.StartedBy{Type: "cron"}}
	b := BriefOf(&s)
	record := run.Record{
		RunID: "r", WorkflowID: "w", StartedAt: started, StartedBy: s.StartedBy, Status: engine.StatusWaiting,
	}
	require.Equal(t, record, b.Record())
	b.SetRunning(1)
	record.Status = engine.StatusRunning
	require.Equal(t, record, b.Record())
	b.End(runtext.Ending{Status: engine.StatusFailed, FinishedAt: started.Add(time.Microsecond)})
	record.Status, record.FinishedAt = engine.StatusFailed, started.Add(time.Microsecond)
	require.Equal(t, record, b.Record())
}
