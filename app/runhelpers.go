package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// newRunID returns an id that sorts by time.
func newRunID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

// keyed knows what keys stand for.
type keyed interface {
	ByKey(ctx context.Context, key string) (run.Start, error)
}

// startedBy returns the run that a key stands for, or "".
func startedBy(ctx context.Context, runs keyed, key, digest string) (string, error) {
	first, err := runs.ByKey(ctx, key)
	switch {
	case errors.Is(err, store.ErrRunNotFound):
		return "", nil
	case err != nil && !errors.Is(err, store.ErrRunGone):
		return "", err
	case first.RequestDigest != digest:
		return "", ErrKeyReused
	}
	return first.RunID, nil
}

// bound returns a context that ends with ctx, or with the life of those who run what it is for.
func bound(ctx, life context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// logEnd says how a run has ended: as a warning, and why, if it has failed.
func logEnd(ctx context.Context, log *slog.Logger, level slog.Level, runID, workflowID string, s engine.Status, took time.Duration, failure *engine.Failure) {
	if s == engine.StatusFailed {
		level = slog.LevelWarn
	}
	if !log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("run", runID), slog.String("workflow", workflowID), slog.String("status", s.String()), slog.Duration("duration", took),
	}
	if failure != nil {
		attrs = append(attrs, slog.String("node", failure.NodeID), slog.String("code", failure.Code), slog.String("message", failure.Message))
	}
	log.LogAttrs(ctx, level, "run ended", attrs...)
}
