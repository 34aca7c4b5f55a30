package app

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
)

// HookOutcome is the answer to the caller of a hook.
type HookOutcome struct {
	// Reply is the answer, if the hook or a node has given one.
	Reply *node.Reply
	// RunID is the run that was started; "" if none was.
	RunID string
	// Outcome is that of the run, if it has ended while its caller waited for that, and Late
	// says that it took longer than the caller waits.
	Outcome Outcome
	Late    bool
	// Awaits is what the caller waits for.
	Awaits node.Awaits
}

// Hooks returns the hooks at an escaped path below /hooks/, with the values of the path's
// variables for each. There are none unless triggers fire here.
func (a *App) Hooks(ctx context.Context, escaped string) ([]*trigger.Hook, []map[string]string) {
	if a.triggers == nil {
		return nil, nil
	}
	return a.triggers.Hooks(ctx, escaped)
}

// CallHook calls a hook and waits for the answer to its caller. A run that it started continues
// when ctx has ended.
func (a *App) CallHook(ctx context.Context, h *trigger.Hook, call *node.HookCall) (HookOutcome, error) {
	answer, err := h.Accept(ctx, call)
	if _, refused := errors.AsType[*node.HookError](err); refused {
		a.triggers.Refused(h)
	}
	if err != nil || answer.Firing == nil {
		return HookOutcome{Reply: answer.Reply}, err
	}
	made, err := a.deliver(ctx, h, answer.Firing, answer.Awaits)
	if err != nil {
		return HookOutcome{}, err
	}
	if made != "" {
		return a.repeat(ctx, made, &answer)
	}
	id, err := runs.NewID()
	if err != nil {
		return HookOutcome{}, err
	}
	var reply <-chan node.Reply
	look, gone := func() {}, func() {}
	if answer.Awaits == node.AwaitNode {
		reply, look, gone = a.runs.Answer(id)
	}
	defer gone()
	if made, err = a.triggers.Fire(h, *answer.Firing, id); err != nil {
		return HookOutcome{}, err
	}
	if made != id { // the same delivery came at the same time
		return a.repeat(ctx, made, &answer)
	}
	out := HookOutcome{Reply: answer.Reply, RunID: made}
	if answer.Awaits != node.AwaitAccepted {
		out, err = a.awaitCalled(ctx, made, answer.Within, reply, look)
	}
	out.Awaits = answer.Awaits
	return out, err
}

// repeat answers a delivery that came before with the answer of its run.
func (a *App) repeat(ctx context.Context, runID string, answer *node.HookAnswer) (HookOutcome, error) {
	if answer.Awaits == node.AwaitAccepted {
		return HookOutcome{Reply: answer.Reply, RunID: runID, Awaits: answer.Awaits}, nil
	}
	out, err := a.awaitCalled(ctx, runID, answer.Within, nil, func() {})
	out.Awaits = answer.Awaits
	switch {
	case errors.Is(err, store.ErrRunNotFound), errors.Is(err, store.ErrRunGone):
		return HookOutcome{RunID: runID, Awaits: node.AwaitAccepted}, nil // its answer is not kept
	case err == nil && answer.Awaits == node.AwaitNode && out.Outcome != nil:
		out.Reply = recordedReply(out.Outcome.Result())
	}
	return out, err
}

// awaitCalled waits for the end of a run that a hook has started, or for its answer.
func (a *App) awaitCalled(ctx context.Context, runID string, within time.Duration, reply <-chan node.Reply, look func()) (HookOutcome, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	ended := make(chan struct{})
	var result *engine.Result
	var err error
	go func() {
		defer close(ended)
		result, err = a.await(ctx, runID)
	}()
	defer func() { cancel(); <-ended }()
	select {
	case r := <-reply:
		return HookOutcome{Reply: &r, RunID: runID}, nil
	case <-ended:
	}
	look()
	select {
	case r := <-reply: // which came first
		return HookOutcome{Reply: &r, RunID: runID}, nil
	default:
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return HookOutcome{RunID: runID, Late: true}, nil
	case err != nil:
		return HookOutcome{}, err
	}
	return HookOutcome{RunID: runID, Outcome: recorded{a, result}}, nil
}
