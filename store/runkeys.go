package store

import (
	"slices"
	"time"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
)

// goneKey is an idempotency key whose run is not kept any more. It still stands for
// that run, so that nothing is run twice because its record had to make room.
type goneKey struct {
	Key       string    `json:"key"`
	RunID     string    `json:"runId"`
	Digest    string    `json:"digest"`
	StartedAt time.Time `json:"startedAt"`
}

// lives reports whether the key still stands for its run.
func (k goneKey) lives(now time.Time) bool { return k.Key != "" && now.Sub(k.StartedAt) < run.KeyLife }

// start is what is left of what the run was started with.
func (k goneKey) start() run.Start {
	return run.Start{RunID: k.RunID, StartedAt: k.StartedAt, IdempotencyKey: k.Key, RequestDigest: k.Digest}
}

// lastOf returns what is to be remembered of a run that is forgotten.
func (e *runEntry[C]) lastOf() goneKey {
	return goneKey{Key: e.key, RunID: e.record.RunID, Digest: e.digest, StartedAt: e.record.StartedAt}
}

// bury remembers a key whose run is gone.
func (x *runIndex[C]) bury(k goneKey, now time.Time) {
	if !k.lives(now) || x.gone[k.Key].StartedAt.After(k.StartedAt) {
		return
	}
	if x.gone == nil {
		x.gone = map[string]goneKey{}
	}
	x.gone[k.Key] = k
}

// fullOfKeys reports whether no more keys can be remembered.
func (x *runIndex[C]) fullOfKeys(now time.Time) bool {
	if len(x.gone)+len(x.order) < limit.IdempotencyKeys {
		return false
	}
	for key, k := range x.gone {
		if !k.lives(now) {
			delete(x.gone, key)
		}
	}
	return len(x.gone)+len(x.order) >= limit.IdempotencyKeys
}

// byKey returns the run that was started last with an idempotency key, as it was when it
// was forgotten or, if it is there, by its id alone. It looks at all runs: ten thousand
// take less time than one write to a disk.
func (x *runIndex[C]) byKey(key string) (k goneKey, gone bool, err error) {
	if key == "" {
		return k, false, ErrRunNotFound
	}
	k, gone = x.gone[key], x.gone[key].lives(time.Now())
	for _, e := range slices.Backward(x.order) {
		if e.key == key && !e.damaged && (!gone || e.record.StartedAt.After(k.StartedAt)) {
			return e.lastOf(), false, nil
		}
	}
	if !gone {
		err = ErrRunNotFound
	}
	return k, gone, err
}
