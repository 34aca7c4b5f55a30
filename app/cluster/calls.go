package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// CallTask is what has a placed call answered: no more of it leaves the store.
type CallTask struct {
	ID    string `json:"id"`
	Queue string `json:"queue"`
}

// CallTasks has placed calls answered. It is safe for concurrent use.
type CallTasks interface {
	// Ask has a call answered by one of those who answer its queue; it may be asked again.
	Ask(ctx context.Context, c CallTask) error
	// Drop has nobody begin it any more.
	Drop(ctx context.Context, c CallTask) error
}

// Bounds of placed calls.
const (
	// lonely is how long nobody may have begun a call until its node says so.
	lonely = 5 * time.Second
	// droppedWithin bounds giving a call up: its run ends meanwhile.
	droppedWithin = 300 * time.Millisecond
)

// calls leads calls of nodes to those who answer their queues, and waits for what comes of
// them. Make one with newCalls, and close it.
type calls struct {
	place Placement
	runs  store.SharedCalls
	tasks CallTasks
	watch *watch[store.CallState]
	log   *slog.Logger
	led   tally
}

func newCalls(place Placement, runs store.SharedCalls, tasks CallTasks, log *slog.Logger) *calls {
	l := &calls{place: place, runs: runs, tasks: tasks, log: log, watch: newWatch(runs.CallStates, func(s store.CallState) string { return s.ID }, log)}
	for _, r := range place.rules {
		l.led.add(r.queue, 0)
	}
	return l
}

// close is for when nothing is driven any more.
func (l *calls) close() { l.watch.close() }

// leads reports whether calls of a run may go elsewhere.
func (l *calls) leads(known map[string]store.PlacedCall) bool {
	return l != nil && (len(l.place.rules) > 0 || len(known) > 0)
}

// known returns the calls of a run that have been placed before somebody goes on with it, by
// the path of their node.
func (l *calls) known(ctx context.Context, runID string) (map[string]store.PlacedCall, error) {
	placed, err := l.runs.PlacedCalls(ctx, runID)
	byPath := make(map[string]store.PlacedCall, len(placed))
	for _, c := range placed {
		byPath[c.Path] = c // the last one counts
	}
	return byPath, err
}

// call makes an attempt at a node: here, or elsewhere. One that was under way elsewhere when
// the run was taken over goes on.
func (l *calls) call(ctx context.Context, r *played, c *engine.Call) error {
	placed, goesOn := r.placed[c.Path()]
	if !goesOn || !c.Again() || placed.Number != c.Number() {
		queue, elsewhere := l.place.queue(c.Type())
		if !elsewhere || c.Container() || c.Computes() {
			return c.Here(ctx)
		}
		var err error
		if placed, err = l.put(ctx, r, c, queue); err != nil {
			return err
		}
	}
	back := c.Away()
	outcome, err := l.await(ctx, r, placed)
	back()
	if err != nil {
		return err
	}
	outputs, err := readOutcome(outcome)
	if err != nil {
		return err
	}
	return c.Put(outputs)
}

// put writes a call down. Secrets are not written: whoever answers resolves its own.
func (l *calls) put(ctx context.Context, r *played, c *engine.Call, queue string) (placed store.PlacedCall, err error) {
	inputs := value.AppendExact(nil, c.Inputs())
	if text := string(inputs); node.Redact(ctx, text) != text {
		return placed, node.Permanent(node.Errorf(node.CodeInvalidInput,
			"an input holds a secret, which does not travel to the queue %s; name the credential in the node itself, or do not place nodes of type %s", queue, c.Type()))
	}
	id, err := uuid.NewV7()
	if err != nil {
		return placed, err
	}
	placed = store.PlacedCall{
		RunID: r.Start.RunID, ID: id.String(), Path: c.Path(), Number: c.Number(), Once: c.Once(), Queue: queue, Inputs: inputs,
	}
	if err := l.kept(ctx, r, func() error { return l.runs.PlaceCall(ctx, placed) }); err != nil {
		return placed, err
	}
	l.led.add(queue, 1)
	return placed, nil
}

// kept does something with the store, which may be away for a while. A run for which that takes
// too long is left.
func (l *calls) kept(ctx context.Context, r *played, do func() error) error {
	err := held(ctx, do)
	if errors.Is(err, store.ErrUnavailable) && ctx.Err() == nil {
		r.lose(leftFor(err))
	}
	return err
}

// await returns the outcome of a call.
func (l *calls) await(ctx context.Context, r *played, c store.PlacedCall) (outcome []byte, err error) {
	news := make(chan store.CallState, 1)
	defer l.watch.look(c.ID, func(s store.CallState) {
		select { // only the last one counts
		case <-news:
		default:
		}
		news <- s
	})()
	task := CallTask{c.ID, c.Queue}
	asked, stop := context.WithCancel(ctx)
	var asking sync.WaitGroup
	asking.Go(func() { l.ask(asked, task) })
	defer asking.Wait()
	defer stop()
	alone := time.NewTimer(lonely)
	defer alone.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			l.drop(ctx, task)
			return nil, ctx.Err()
		case <-alone.C:
			node.Progress(ctx, 0, 0, fmt.Sprintf("no worker has answered the queue %s yet; start one that does", c.Queue))
		case s := <-news:
			if s.Worker != "" {
				alone.Stop()
			}
			if s.Progress != last {
				last = s.Progress
				tell(ctx, last)
			}
			if !s.Answered {
				continue
			}
			err = l.kept(ctx, r, func() (err error) { outcome, err = l.runs.Outcome(ctx, c.ID); return err })
			return outcome, err
		}
	}
}

// tell passes progress on.
func tell(ctx context.Context, text string) {
	var t told
	if json.Unmarshal([]byte(text), &t) == nil {
		node.Progress(ctx, t.Step, t.Total, t.Message)
	}
}

// ask has the call answered, as soon as that is possible.
func (l *calls) ask(ctx context.Context, c CallTask) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = retryFirst, 2*time.Second
	_, _ = backoff.Retry(ctx, func() (struct{}, error) {
		err := l.tasks.Ask(ctx, c)
		if err != nil && ctx.Err() == nil {
			l.log.DebugContext(ctx, "a placed call has no task yet", "queue", c.Queue, "error", err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(0))
}

// drop gives a call up for which nobody waits any more. One whose run goes on elsewhere goes on.
func (l *calls) drop(ctx context.Context, c CallTask) {
	cause := context.Cause(ctx)
	if _, parked := errors.AsType[*engine.Parked](cause); parked || errors.Is(cause, engine.ErrLeft) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), droppedWithin)
	defer cancel()
	if err := errors.Join(l.runs.CancelCall(ctx, c.ID), l.tasks.Drop(ctx, c)); err != nil {
		l.log.DebugContext(ctx, "a placed call could not be given up; it ends with its task", "queue", c.Queue, "error", err)
	}
}
