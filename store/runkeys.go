package store

import (
	"fmt"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// heldKey is an idempotency key, which stands for its run for a day, whether that is kept
// or not: nothing is run twice because its record had to make room.
type heldKey struct {
	Key       string    `json:"key"`
	RunID     string    `json:"runId"`
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"startedAt"`

	segment uint32 // of the log, that tells it
}

// ownKey is what keys of the service itself begin with, which no client can send. They stand
// for their runs as long as these are kept, and for a day in any case.
const ownKey = "\x00"

// lives reports whether the key still stands for its run, whether that is kept or not.
func (k *heldKey) lives(now time.Time) bool {
	return k.Key != "" && now.Sub(k.StartedAt) < run.KeyLife
}

// lives reports whether the key still stands for its run.
func (x *runIndex[C]) lives(k *heldKey, now time.Time) bool {
	return k.lives(now) || strings.HasPrefix(k.Key, ownKey) && x.runs[k.RunID] != nil
}

// start is what is left of what the run was started with.
func (k *heldKey) start() run.Start {
	return run.Start{RunID: k.RunID, StartedAt: k.StartedAt, IdempotencyKey: k.Key, RequestDigest: k.Digest}
}

// heldKey returns the key of the run, which has one.
func (e *runEntry[C]) heldKey() heldKey {
	return heldKey{Key: e.request.key, RunID: e.record.RunID, Digest: e.request.digest, StartedAt: e.record.StartedAt.time()}
}

// hold remembers a key, unless a later run has it.
func (x *runIndex[C]) hold(k heldKey) {
	own := strings.HasPrefix(k.Key, ownKey) // of which the run may not be known yet
	if !own && !k.lives(time.Now()) || x.keys[k.Key].StartedAt.After(k.StartedAt) {
		return
	}
	if x.keys == nil {
		x.keys = map[string]heldKey{}
	}
	x.keys[k.Key] = k
}

// sweepEvery is how long keys that stand for nothing may be in memory.
const sweepEvery = time.Hour

// fullOfKeys reports whether no more keys can be remembered.
func (x *runIndex[C]) fullOfKeys(now time.Time) bool {
	if full := len(x.keys) >= limit.IdempotencyKeys; !full && now.Sub(x.swept) < sweepEvery {
		return false
	}
	x.swept = now
	for key, k := range x.keys {
		if !x.lives(&k, now) {
			delete(x.keys, key)
		}
	}
	return len(x.keys) >= limit.IdempotencyKeys
}

// startOf returns what is known of the run that a key stands for; see RunStore.ByKey.
func (x *runIndex[C]) startOf(key string) (run.Start, error) {
	k := x.keys[key]
	if !x.lives(&k, time.Now()) {
		return run.Start{}, fmt.Errorf("find run by its key: %w", ErrRunNotFound)
	}
	if e := x.runs[k.RunID]; e == nil || e.damaged {
		return k.start(), ErrRunGone
	}
	return k.start(), nil
}
