package store

import (
	"context"
	"errors"
)

// ErrNoCall says that a call does not exist, or no longer exists.
var ErrNoCall = errors.New("there is no such call")

// PlacedCall is an attempt to execute a node, made by a process other than the driver of the run.
type PlacedCall struct {
	RunID string
	ID    string // a UUID
	// Task is a UUID that is shared by the calls that are answered together.
	Task string
	Path string // of the node
	// Number is the number of the attempt, from 1.
	Number int
	// Once says that the attempt must not be repeated.
	Once bool
	// Queue is the queue whose workers execute the call.
	Queue string
	// Inputs are the inputs of the node: JSON, as [value.AppendExact] writes it.
	Inputs []byte
}

// CallState is the state of a call.
type CallState struct {
	ID        string
	Worker    string // the last one that began to execute the call, or empty
	Answered  bool   // the outcome is stored
	Cancelled bool   // the outcome is no longer needed
	Progress  string // last progress of the node, in the worker's encoding
}

// CallAnswer is the outcome of a call.
type CallAnswer struct {
	ID      string
	Outcome []byte // JSON
}

// SharedCalls stores the calls of unfinished runs. It is safe for concurrent use.
type SharedCalls interface {
	// PlaceCalls stores calls of one run, all or nothing. Calls that already exist stay unchanged.
	PlaceCalls(ctx context.Context, calls []PlacedCall) error
	// PlacedCalls returns the calls of a run that are not cancelled, in the order in which they
	// were placed, without their inputs.
	PlacedCalls(ctx context.Context, runID string) ([]PlacedCall, error)
	// BeginAnswer records that worker begins the attempt. It returns the call and its previous
	// state, which names a worker if another one has begun before, and may have died. If the call
	// or its run does not exist, it returns [ErrNoCall].
	BeginAnswer(ctx context.Context, id, worker string) (PlacedCall, CallState, error)
	// TellProgress stores the progress of a node.
	TellProgress(ctx context.Context, id, progress string) error
	// AnswerCalls stores the outcomes of calls, all or nothing. Only the first outcome of a call
	// counts; outcomes of unknown calls are ignored.
	AnswerCalls(ctx context.Context, answers []CallAnswer) error
	// Outcomes returns the outcomes of calls by id, without those that are not answered.
	Outcomes(ctx context.Context, ids []string) (map[string][]byte, error)
	// CancelCall records that the outcome of a call is no longer needed.
	CancelCall(ctx context.Context, id string) error
	// CallStates returns the states of calls with a single query, in no particular order, without
	// unknown calls.
	CallStates(ctx context.Context, ids []string) ([]CallState, error)
}
