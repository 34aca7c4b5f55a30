package workflow

import (
	"math"
	"time"
)

// Retry says how often and how fast a failed node is retried. A zero field means its
// default. A nil *Retry means one attempt.
type Retry struct {
	MaxAttempts int     // all attempts, including the first; 0 means 3
	InitialMs   int     // pause before the second attempt; 0 means 200
	Factor      float64 // growth of each pause; 0 means 2
	MaxMs       int     // longest pause; 0 means 10,000, or InitialMs if that is longer
}

const (
	defaultAttempts  = 3
	defaultInitialMs = 200
	defaultFactor    = 2
	defaultMaxMs     = 10_000
)

// Attempts returns the maximum number of attempts.
func (r *Retry) Attempts() int {
	switch {
	case r == nil:
		return 1
	case r.MaxAttempts <= 0:
		return defaultAttempts
	}
	return r.MaxAttempts
}

// Pause returns the longest pause after the given failed attempt, counted from 1. The
// caller waits for a random part of it.
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
