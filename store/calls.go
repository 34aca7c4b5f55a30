package store

import (
	"context"
	"errors"
)

// ErrNoCall says that a call is not kept (any more).
var ErrNoCall = errors.New("there is no such call")

// PlacedCall is an attempt at a node that another process makes than the one that drives the
// run.
type PlacedCall struct {
	RunID string
	ID    string // a UUID
	// Task is a UUID: the one of what has it answered, together with others of its queue.
	Task string
	Path string // of the node
	// Number says which attempt it is, from 1.
	Number int
	// Once says that it must not be made twice.
	Once bool
	// Queue is the one whose workers make it.
	Queue string
	// Inputs is what the node is called with: JSON, as [value.AppendExact] makes it.
	Inputs []byte
}

// CallState is how far a call is.
type CallState struct {
	ID        string
	Worker    string // who has begun to answer it last; empty if nobody has
	Answered  bool   // its outcome is known
	Cancelled bool   // nobody waits for it any more
	Progress  string // what the node has told last, as whoever answers words it
}

// CallAnswer is what came of a call.
type CallAnswer struct {
	ID      string
	Outcome []byte // JSON
}

// SharedCalls keeps the calls of runs until these have ended. It is safe for concurrent use.
type SharedCalls interface {
	// PlaceCalls keeps calls of one run, all of them or none. Those that are kept already stay as
	// they are.
	PlaceCalls(ctx context.Context, calls []PlacedCall) error
	// PlacedCalls returns the calls of a run that nobody has cancelled, in the order in which
	// they were placed, without their inputs.
	PlacedCalls(ctx context.Context, runID string) ([]PlacedCall, error)
	// BeginAnswer says that worker is about to make the attempt, and returns the call as it was
	// before: with whoever may have begun it already, and died. One that is not kept, or whose
	// run is gone, is [ErrNoCall].
	BeginAnswer(ctx context.Context, id, worker string) (PlacedCall, CallState, error)
	// TellProgress keeps what a node has told.
	TellProgress(ctx context.Context, id, progress string) error
	// AnswerCalls keeps what came of calls, all of it or nothing. Only the first outcome of a call
	// counts; of one that is not kept it is dropped.
	AnswerCalls(ctx context.Context, answers []CallAnswer) error
	// Outcomes returns what came of calls, by their ids. Those that are not answered are left out.
	Outcomes(ctx context.Context, ids []string) (map[string][]byte, error)
	// CancelCall says that nobody waits for a call any more.
	CancelCall(ctx context.Context, id string) error
	// CallStates tells how far calls are, of all of them in one question, in no order. Those
	// that are not kept are left out.
	CallStates(ctx context.Context, ids []string) ([]CallState, error)
}
