package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
	"github.com/svcflow/svc/store/postgres/pg"
)

// Keep implements [store.SharedRuns]. It commits without waiting for the disk.
func (s *Runs) Keep(ctx context.Context, ended []run.Kept) []error {
	var errs []error
	for i := range ended {
		err := s.keep(ctx, &ended[i])
		if err != nil && errs == nil {
			errs = make([]error, len(ended))
		}
		if err != nil {
			errs[i] = pg.Failed("keep run", err)
		}
	}
	return errs
}

func (s *Runs) keep(ctx context.Context, k *run.Kept) error {
	if k.Start.IdempotencyKey != "" {
		if err := s.roomForKey(ctx); err != nil {
			return err
		}
	}
	b, err := newRow(&k.Start)
	if err != nil {
		return pg.Refused(err)
	}
	var frames []run.Frame
	for f := range run.Frames(k.Outcome) {
		frames = append(frames, f)
	}
	if _, err := runtext.CheckFrames(frames, 0, frames[0].Time); err != nil && !errors.Is(err, store.ErrFrameEarlier) {
		return pg.Refused(err)
	}
	return s.inDay(ctx, b.id, func(ctx context.Context, tx pgx.Tx) error { return s.keepWithin(ctx, tx, b, frames) })
}

func (s *Runs) keepWithin(ctx context.Context, tx pgx.Tx, b *beginning, frames []run.Frame) error {
	if _, err := tx.Exec(ctx, `set local synchronous_commit = off`); err != nil {
		return err
	}
	if err := b.begin(ctx, tx); err != nil {
		return err
	}
	j := &journal{runs: s, id: b.id, known: map[run.Digest]bool{}}
	for _, h := range b.start.Holes {
		j.known[h.Digest] = true
	}
	w := &writing{journal: j, frames: frames, final: &frames[len(frames)-1], wrote: map[run.Digest]bool{}}
	if err := w.values(ctx); err != nil {
		return err
	}
	rows, err := pg.Sent(ctx, tx, w.batch())
	if err == nil && rows[0] == 0 {
		err = pg.Refused(&store.RunBytesError{Most: s.options.RunBytes})
	}
	return err
}
