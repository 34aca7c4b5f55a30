package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/google/uuid"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/store"
)

// CallTask is what has placed calls of a queue answered: no more of them leaves the store.
type CallTask struct {
	ID    string   `json:"-"`
	Queue string   `json:"queue"`
	Calls []string `json:"calls"` // their ids
}

// CallTasks has placed calls answered. It is safe for concurrent use.
type CallTasks interface {
	// Ask has calls answered by those who answer their queue; it may be asked again.
	Ask(ctx context.Context, t CallTask) error
	// Drop has nobody begin those any more that nobody has begun, once all were given up.
	Drop(ctx context.Context, t CallTask) error
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
	came  together[*store.CallAnswer] // has outcomes read
	log   *slog.Logger
	led   tally
}

func newCalls(place Placement, runs store.SharedCalls, tasks CallTasks, log *slog.Logger) *calls {
	l := &calls{place: place, runs: runs, tasks: tasks, log: log, watch: newWatch(runs.CallStates, func(s store.CallState) string { return s.ID }, log)}
	l.came.do = l.outcomes
	for _, r := range place.rules {
		l.led.add(r.queue, 0)
	}
	return l
}

// close is for when nothing is driven any more.
func (l *calls) close() { l.watch.close() }

// call makes an attempt at a node: here, or elsewhere. One that was under way elsewhere when
// the run was taken over goes on.
func (p *placing) call(ctx context.Context, c *engine.Call) error {
	placed, goesOn := p.known[c.Path()]
	if !goesOn || !c.Again() || placed.Number != c.Number() {
		queue, elsewhere := p.place.queue(c.Type())
		if !elsewhere || c.Container() || c.Computes() {
			return c.Here(ctx)
		}
		var err error
		if placed, err = p.put(ctx, c, queue); err != nil {
			return err
		}
	}
	back := c.MarkRemote()
	outcome, err := p.await(ctx, &placed)
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
func (p *placing) put(ctx context.Context, c *engine.Call, queue string) (placed store.PlacedCall, err error) {
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
		RunID: p.run.Start.RunID, ID: id.String(), Path: c.Path(), Number: c.Number(), Once: c.Once(), Queue: queue, Inputs: inputs,
	}
	err = p.orders.join(ctx, &placed)
	placed.Inputs = nil
	return placed, err
}

// await returns the outcome of a call.
func (p *placing) await(ctx context.Context, c *store.PlacedCall) ([]byte, error) {
	news := make(chan store.CallState, 1)
	defer p.watch.look(c.ID, func(s store.CallState) {
		select { // only the last one counts
		case <-news:
		default:
		}
		news <- s
	})()
	p.ask(c.Task) //nolint:contextcheck // a task is not only that of who asks first
	alone := time.NewTimer(lonely)
	defer alone.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			p.drop(ctx, c)
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
			if s.Answered {
				p.leave(c.Task, false)
				return p.outcome(ctx, c.ID)
			}
		}
	}
}

// outcome reads what came of a call.
func (p *placing) outcome(ctx context.Context, id string) ([]byte, error) {
	came := store.CallAnswer{ID: id}
	err := p.run.kept(ctx, func(ctx context.Context) error { return p.came.join(ctx, &came) })
	if err == nil && came.Outcome == nil {
		err = store.ErrNoCall
	}
	return came.Outcome, err
}

// outcomes reads what came of calls.
func (l *calls) outcomes(ctx context.Context, all []*store.CallAnswer) error {
	ids := make([]string, len(all))
	for i, a := range all {
		ids[i] = a.ID
	}
	came, err := l.runs.Outcomes(ctx, ids)
	for _, a := range all {
		a.Outcome = came[a.ID]
	}
	return err
}

// tell passes progress on.
func tell(ctx context.Context, text string) {
	var t told
	if json.Unmarshal([]byte(text), &t) == nil {
		node.Progress(ctx, t.Step, t.Total, t.Message)
	}
}

// asks has calls answered, as soon as that is possible.
func (l *calls) asks(ctx context.Context, t CallTask) {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = retryFirst, 2*time.Second
	_, _ = backoff.Retry(ctx, func() (struct{}, error) {
		err := l.tasks.Ask(ctx, t)
		if err != nil && ctx.Err() == nil {
			l.log.DebugContext(ctx, "placed calls have no task yet", "queue", t.Queue, "error", err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(0))
}
