package runs

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

// NewID returns a run id that sorts by time.
func NewID() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

// keyIndex finds runs by idempotency key.
type keyIndex interface {
	ByKey(ctx context.Context, key string) (run.Start, error)
}

// FindByKey returns the id of the run that an idempotency key has started, or "". If the request
// had another digest, the error is [ErrKeyReused].
func FindByKey(ctx context.Context, index keyIndex, key, digest string) (string, error) {
	first, err := index.ByKey(ctx, key)
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

// JoinContexts returns a context with the values of ctx that ends with ctx or with life. Callers
// must call the returned function.
func JoinContexts(ctx, life context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// LogEnd logs the end of a run at level; a failed run is a warning with its failure.
func LogEnd(ctx context.Context, log *slog.Logger, level slog.Level, runID, workflowID string, s engine.Status, took time.Duration, failure *engine.Failure) {
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
