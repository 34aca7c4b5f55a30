package store

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// brief is a [run.Record] without its result, in less memory: there may be hundreds of
// thousands of them.
type brief struct {
	RunID, WorkflowID, ResumedFrom string
	StartedBy                      *run.StartedBy
	StartedAt, FinishedAt          moment
	Status                         engine.Status
}

// record returns what lists show.
func (b *brief) record() run.Record {
	return run.Record{
		RunID: b.RunID, WorkflowID: b.WorkflowID, Status: b.Status, StartedAt: b.StartedAt.time(), FinishedAt: b.FinishedAt.time(),
		ResumedFrom: b.ResumedFrom, StartedBy: b.StartedBy,
	}
}

// goOn notes that the run goes on, with so many frames.
func (b *brief) goOn(frames int) {
	b.FinishedAt = 0
	if b.Status = engine.StatusRunning; frames == 0 {
		b.Status = (&run.Start{ResumedFrom: b.ResumedFrom, StartedBy: b.StartedBy}).First()
	}
}

// end notes how the run has ended.
func (b *brief) end(how ending) { b.Status, b.FinishedAt = how.Status, momentOf(how.FinishedAt) }

// moment is a time as journals have it: in microseconds since 1970; 0 is none.
type moment int64

func momentOf(t time.Time) moment {
	if t.IsZero() {
		return 0
	}
	return moment(t.UnixMicro())
}

func (m moment) time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// keyedRequest is the idempotency key that a run was started with, and the digest of the
// request that came with it.
type keyedRequest struct{ key, digest string }

// keyed returns nil if there is no key.
func keyed(key, digest string) *keyedRequest {
	if key == "" {
		return nil
	}
	return &keyedRequest{key, digest}
}

// briefOf returns what the index knows of a run that has no frame yet.
func briefOf(s *runSummary) brief {
	b := brief{
		RunID: s.RunID, WorkflowID: s.WorkflowID, StartedAt: momentOf(s.StartedAt), ResumedFrom: s.ResumedFrom, StartedBy: s.StartedBy,
	}
	b.goOn(0)
	return b
}

// requestOf returns what idempotency goes by; nil without a key.
func requestOf(s *runSummary) *keyedRequest { return keyed(s.IdempotencyKey, s.RequestDigest) }
