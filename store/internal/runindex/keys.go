package runindex

import (
	"fmt"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
)

// HeldKey is an idempotency key, which stands for its run for a day, whether that is kept
// or not: nothing is run twice because its record had to make room.
type HeldKey struct {
	Key       string    `json:"key"`
	RunID     string    `json:"runId"`
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"startedAt"`

	Segment uint32 // of the log, that tells it
}

// ownKey is what keys of the service itself begin with, which no client can send. They stand
// for their runs as long as these are kept, and for a day in any case.
const ownKey = "\x00"

// lives reports whether the key still stands for its run, whether that is kept or not.
func (k *HeldKey) lives(now time.Time) bool {
	return k.Key != "" && now.Sub(k.StartedAt) < run.KeyLife
}

// Lives reports whether the key still stands for its run.
func (x *Index[C]) Lives(k *HeldKey, now time.Time) bool {
	return k.lives(now) || strings.HasPrefix(k.Key, ownKey) && x.Runs[k.RunID] != nil
}

// start is what is left of what the run was started with.
func (k *HeldKey) start() run.Start {
	return run.Start{RunID: k.RunID, StartedAt: k.StartedAt, IdempotencyKey: k.Key, RequestDigest: k.Digest}
}

// HeldKey returns the key of the run, which has one.
func (e *Entry[C]) HeldKey() HeldKey {
	return HeldKey{Key: e.Request.Key, RunID: e.Record.RunID, Digest: e.Request.Digest, StartedAt: e.Record.StartedAt.Time()}
}

// Hold remembers a key, unless a later run has it.
func (x *Index[C]) Hold(k HeldKey) {
	own := strings.HasPrefix(k.Key, ownKey) // of which the run may not be known yet
	if !own && !k.lives(time.Now()) || x.Keys[k.Key].StartedAt.After(k.StartedAt) {
		return
	}
	if x.Keys == nil {
		x.Keys = map[string]HeldKey{}
	}
	x.Keys[k.Key] = k
}

// sweepEvery is how long keys that stand for nothing may be in memory.
const sweepEvery = time.Hour

// fullOfKeys reports whether no more keys can be remembered.
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

// StartOf returns what is known of the run that a key stands for; see RunStore.ByKey.
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
