package workflow

import (
	"math"
	"time"
)

// Retry says how often and how fast a failing node is tried again. A zero field
// means its default. A nil *Retry means one attempt.
type Retry struct {
	MaxAttempts int     // attempts in all, the first included; 0 means 3
	InitialMs   int     // pause before the second attempt; 0 means 200
	Factor      float64 // by which each pause grows; 0 means 2
	MaxMs       int     // longest pause; 0 means 10,000, or InitialMs if that is longer
}

const (
	defaultAttempts  = 3
	defaultInitialMs = 200
	defaultFactor    = 2
	defaultMaxMs     = 10_000
)

// Attempts returns how often the node may be tried in all.
func (r *Retry) Attempts() int {
	switch {
	case r == nil:
		return 1
	case r.MaxAttempts <= 0:
		return defaultAttempts
	}
	return r.MaxAttempts
}

// Pause returns the longest time to wait after the given attempt, counted from
// 1, has failed. Whoever waits takes a random part of it (full jitter).
func (r *Retry) Pause(attempt int) time.Duration {
	if r == nil {
		return 0
	}
	initial := orDefault(float64(r.InitialMs), defaultInitialMs)
	longest := orDefault(float64(r.MaxMs), max(defaultMaxMs, initial))
	factor := orDefault(r.Factor, defaultFactor)
	ms := initial * math.Pow(factor, float64(max(attempt, 1)-1)) // +Inf is fine
	return time.Duration(min(ms, longest)) * time.Millisecond
}

func orDefault(x, otherwise float64) float64 {
	if x > 0 {
		return x
	}
	return otherwise
}
