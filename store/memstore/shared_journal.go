package memstore

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
)

// sharedMemoryJournal appends frames to a run in one epoch.
type sharedMemoryJournal struct {
	shared *Shared
	run    *sharedRun
	epoch  int
}

// Append implements [store.SharedJournal].
func (j *sharedMemoryJournal) Append(ctx context.Context, frames ...run.Frame) error {
	m, r := j.shared, j.run
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := j.append(frames); err != nil {
		return fmt.Errorf("append to run %s: %w", r.entry.Record.RunID, err)
	}
	return nil
}

// append adds frames, all or nothing. The caller holds mu.
func (j *sharedMemoryJournal) append(frames []run.Frame) error {
	m, r := j.shared, j.run
	switch {
	case r.epoch != j.epoch:
		return store.ErrRunTaken
	case !r.entry.Running():
		return fs.ErrClosed
	}
	last, err := runtext.CheckFrames(frames, r.entry.Frames, r.last)
	if err != nil {
		return err
	}
	x := &m.runs.index
	x.Mu.Lock()
	defer x.Mu.Unlock()
	m.runs.RunBytes = m.RunBytes
	before := *r.entry
	for i := range frames {
		how, size, err := m.runs.take(r.entry, &frames[i])
		if err != nil {
			x.Bytes -= r.entry.Bytes - before.Bytes
			*r.entry = before // values that were already added do no harm
			return err
		}
		x.Grow(r.entry, size)
		if frames[i].Name.Terminal() {
			x.End(r.entry, how)
			r.entry.Content.cancelled, r.entry.Content.epoch = r.cancelled, r.epoch
			delete(m.going, r.entry.Record.RunID)
			m.ends = append(m.ends, store.RunEnd{RunID: r.entry.Record.RunID, At: time.Now()})
		}
	}
	r.last = last
	if store.GotOn(frames) {
		r.takes = 1
	}
	return nil
}

// Leave implements [store.SharedJournal].
func (j *sharedMemoryJournal) Leave(ctx context.Context, until time.Time) error {
	j.shared.mu.Lock()
	defer j.shared.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case j.run.epoch != j.epoch:
		return fmt.Errorf("leave run %s: %w", j.run.entry.Record.RunID, store.ErrRunTaken)
	}
	j.run.left(until)
	return nil
}
