package memstore

import (
	"context"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// Start implements [store.RunReader].
func (m *Shared) Start(ctx context.Context, runID string) (run.Start, error) {
	return m.runs.Start(ctx, runID)
}

// ByKey implements [store.RunReader].
func (m *Shared) ByKey(ctx context.Context, key string) (run.Start, error) {
	return m.runs.ByKey(ctx, key)
}

// Record implements [store.RunReader].
func (m *Shared) Record(ctx context.Context, runID string) (run.Record, error) {
	return m.runs.Record(ctx, runID)
}

// Records implements [store.RunReader].
func (m *Shared) Records(ctx context.Context, q run.Query) (run.Page, error) {
	return m.runs.Records(ctx, q)
}

// Frames implements [store.RunReader].
func (m *Shared) Frames(ctx context.Context, runID string, after, maxBytes int) ([]run.Frame, error) {
	return m.runs.Frames(ctx, runID, after, maxBytes)
}

// Value implements [store.RunReader].
func (m *Shared) Value(ctx context.Context, runID string, d run.Digest) ([]byte, error) {
	return m.runs.Value(ctx, runID, d)
}

var _ store.SharedRuns = (*Shared)(nil)
