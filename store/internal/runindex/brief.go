// Package runindex is what stores of runs remember of each, to list and find them without reading them.
package runindex

import (
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/internal/runtext"
)

// Brief is a [run.Record] without its result, in less memory, since there may be hundreds of
// thousands.
type Brief struct {
	RunID, WorkflowID, ResumedFrom string
	StartedBy                      *run.StartedBy
	StartedAt, FinishedAt          Moment
	Status                         engine.Status
}

// Record returns the record that lists show.
func (b *Brief) Record() run.Record {
	return run.Record{
		RunID: b.RunID, WorkflowID: b.WorkflowID, Status: b.Status, StartedAt: b.StartedAt.Time(), FinishedAt: b.FinishedAt.Time(),
		ResumedFrom: b.ResumedFrom, StartedBy: b.StartedBy,
	}
}

// SetRunning marks the run as unfinished, with a number of frames.
func (b *Brief) SetRunning(frames int) {
	b.FinishedAt = 0
	if b.Status = engine.StatusRunning; frames == 0 {
		b.Status = (&run.Start{ResumedFrom: b.ResumedFrom, StartedBy: b.StartedBy}).First()
	}
}

// End records how the run has ended.
func (b *Brief) End(how runtext.Ending) {
	b.Status, b.FinishedAt = how.Status, MomentOf(how.FinishedAt)
}

// Moment is a time in microseconds since 1970, the precision of journals; 0 means no time.
type Moment int64

// MomentOf returns the moment of a time.
func MomentOf(t time.Time) Moment {
	if t.IsZero() {
		return 0
	}
	return Moment(t.UnixMicro())
}

// Time returns the time in UTC.
func (m Moment) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMicro(int64(m)).UTC()
}

// keyedRequest is the idempotency key of a run, and the digest of its request.
type keyedRequest struct{ Key, Digest string }

// Keyed returns nil if key is empty.
func Keyed(key, digest string) *keyedRequest {
	if key == "" {
		return nil
	}
	return &keyedRequest{key, digest}
}

// BriefOf returns the entry of a run that has no frames yet.
func BriefOf(s *runtext.Summary) Brief {
	b := Brief{
		RunID: s.RunID, WorkflowID: s.WorkflowID, StartedAt: MomentOf(s.StartedAt), ResumedFrom: s.ResumedFrom, StartedBy: s.StartedBy,
	}
	b.SetRunning(0)
	return b
}

// RequestOf returns the idempotency key and request digest of a run; nil if it has no key.
func RequestOf(s *runtext.Summary) *keyedRequest { return Keyed(s.IdempotencyKey, s.RequestDigest) }
