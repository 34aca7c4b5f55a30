package runindex

import (
	"fmt"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// HeldKey is an idempotency key. It refers to its run for a day, even if retention removes the run
// earlier, so that a retried request does not run twice.
type HeldKey struct {
	Key       string    `json:"key"`
	RunID     string    `json:"runId"`
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"startedAt"`

	Segment uint32 // segment of the log with the line that has the key
}

// ownKey is the prefix of keys of the service itself, which no client can send. They last as long
// as their runs, and at least a day.
const ownKey = "\x00"

// lives reports whether the key is less than a day old.
func (k *HeldKey) lives(now time.Time) bool {
	return k.Key != "" && now.Sub(k.StartedAt) < run.KeyLife
}

// Lives reports whether the key is still valid.
func (x *Index[C]) Lives(k *HeldKey, now time.Time) bool {
	return k.lives(now) || strings.HasPrefix(k.Key, ownKey) && x.Runs[k.RunID] != nil
}

// start returns the start of the run, as far as the key records it.
func (k *HeldKey) start() run.Start {
	return run.Start{RunID: k.RunID, StartedAt: k.StartedAt, IdempotencyKey: k.Key, RequestDigest: k.Digest}
}

// HeldKey returns the key of the run, which must have one.
func (e *Entry[C]) HeldKey() HeldKey {
	return HeldKey{Key: e.Request.Key, RunID: e.Record.RunID, Digest: e.Request.Digest, StartedAt: e.Record.StartedAt.Time()}
}

// Hold stores a key, unless a later run has the same key.
func (x *Index[C]) Hold(k HeldKey) {
	own := strings.HasPrefix(k.Key, ownKey) // its run may not be known yet
	if !own && !k.lives(time.Now()) || x.Keys[k.Key].StartedAt.After(k.StartedAt) {
		return
	}
	if x.Keys == nil {
		x.Keys = map[string]HeldKey{}
	}
	x.Keys[k.Key] = k
}

// sweepEvery is how long expired keys may stay in memory.
const sweepEvery = time.Hour

// fullOfKeys removes expired keys if necessary, and reports whether the limit is reached.
func (x *Index[C]) fullOfKeys(now time.Time) bool {
	if full := len(x.Keys) >= limit.IdempotencyKeys; !full && now.Sub(x.swept) < sweepEvery {
		return false
	}
	x.swept = now
	for key, k := range x.Keys {
		if !x.Lives(&k, now) {
			delete(x.Keys, key)
		}
	}
	return len(x.Keys) >= limit.IdempotencyKeys
}

// StartOf returns the start of the run with a key, as far as the key records it; see
// RunStore.ByKey.
func (x *Index[C]) StartOf(key string) (run.Start, error) {
	k := x.Keys[key]
	if !x.Lives(&k, time.Now()) {
		return run.Start{}, fmt.Errorf("find run by its key: %w", store.ErrRunNotFound)
	}
	if e := x.Runs[k.RunID]; e == nil || e.Damaged {
		return k.start(), store.ErrRunGone
	}
	return k.start(), nil
}
