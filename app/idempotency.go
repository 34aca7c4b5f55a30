package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// MaxKey is how many bytes an idempotency key may have, and keyLife for how long
// it stands for the run it has started (DESIGN section 9).
const (
	MaxKey  = 255
	keyLife = 24 * time.Hour
)

// request is what a client asks for when it starts a run.
type request struct {
	kind     string        // what workflow gives: "definition", "text" or "stored"
	workflow func() []byte // which workflow
	start    engine.Start
}

// digest tells requests apart.
func (r *request) digest() string {
	overrides := make(map[string]any, len(r.start.Overrides))
	for id, ports := range r.start.Overrides {
		overrides[id] = ports
	}
	sum := sha256.New()
	sum.Write(value.Append(nil, map[string]any{"kind": r.kind, "inputs": r.start.Inputs, "overrides": overrides}))
	sum.Write(r.workflow())
	return hex.EncodeToString(sum.Sum(nil))
}

// once starts a run, unless the request has a key under which the same request
// has started one already; then that is its answer.
func (a *App) once(ctx context.Context, q request, compile func() (*compiled, error)) (string, error) {
	key := q.start.IdempotencyKey
	start := store.RunStart{Inputs: q.start.Inputs, IdempotencyKey: key}
	if key != "" {
		if len(key) > MaxKey {
			return "", ErrKeyTooLong
		}
		start.RequestDigest = q.digest()
		defer a.keys.lock(key)()
		if runID, err := a.startedBy(ctx, key, start.RequestDigest); err != nil || runID != "" {
			return runID, err
		}
	}
	made, err := compile()
	if err != nil {
		return "", err
	}
	return a.launch(ctx, made, start, nil)
}

// startedBy returns the run that a key stands for, or "".
func (a *App) startedBy(ctx context.Context, key, digest string) (string, error) {
	first, err := a.journals.ByKey(ctx, key)
	switch {
	case errors.Is(err, store.ErrRunNotFound):
		return "", nil
	case err != nil:
		return "", err
	case time.Since(first.StartedAt) >= keyLife:
		return "", nil
	case first.RequestDigest != digest:
		return "", ErrKeyReused
	}
	return first.RunID, nil
}
