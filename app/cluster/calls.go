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

// CallTask is a Temporal workflow for placed calls of one queue. Only ids leave the database.
type CallTask struct {
	ID    string   `json:"-"`
	Queue string   `json:"queue"`
	Calls []string `json:"calls"` // their ids
}

// CallTasks starts workflows for placed calls. It is safe for concurrent use.
type CallTasks interface {
	// Ask starts the workflow of t, so that workers of its queue answer the calls. Repeated calls
	// do nothing.
	Ask(ctx context.Context, t CallTask) error
	// Drop cancels the workflow of t after all of its calls were given up.
	Drop(ctx context.Context, t CallTask) error
}

// Bounds of placed calls.
const (
	// noWorkerAfter is how long a call may wait for a worker until its node reports that there is
	// none.
	noWorkerAfter = 5 * time.Second
	// giveUpWithin bounds giving up a call, because the end of the run waits for it.
	giveUpWithin = 300 * time.Millisecond
)

// calls places node calls on queues and waits for their outcomes. Make one with newCalls, and
// close it.
type calls struct {
	placement   Placement
	runs        store.SharedCalls
	tasks       CallTasks
	watch       *watch[store.CallState]
	results     batcher[*store.CallAnswer] // reads outcomes
	log         *slog.Logger
	placedCount queueCounter
}

func newCalls(place Placement, runs store.SharedCalls, tasks CallTasks, log *slog.Logger) *calls {
	l := &calls{placement: place, runs: runs, tasks: tasks, log: log, watch: newWatch(runs.CallStates, func(s store.CallState) string { return s.ID }, log)}
	l.results.run = l.readOutcomes
	for _, r := range place.rules {
		l.placedCount.add(r.queue, 0)
	}
	return l
}

// close stops the watch. Call it when no run is driven here any more.
func (l *calls) close() { l.watch.close() }

// call makes an attempt at a node: in this process, or on its queue. A call that was placed
// before the run was taken over is continued.
func (p *placedCalls) call(ctx context.Context, c *engine.Call) error {
	placed, goesOn := p.known[c.Path()]
	if !goesOn || !c.Again() || placed.Number != c.Number() {
		queue, elsewhere := p.placement.queue(c.Type())
		if !elsewhere || c.Container() || c.Computes() {
			return c.Here(ctx)
		}
		var err error
		if placed, err = p.place(ctx, c, queue); err != nil {
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

// place writes a call to the database. Secrets are not written: each worker resolves its own.
func (p *placedCalls) place(ctx context.Context, c *engine.Call, queue string) (placed store.PlacedCall, err error) {
	inputs := value.AppendExact(nil, c.Inputs())
	if text := string(inputs); node.Redact(ctx, text) != text {
		return placed, node.Permanent(node.Errorf(node.CodeInvalidInput,
			"an input contains a secret, which must not be sent to the queue %s; name the credential in the node itself, or do not place nodes of type %s", queue, c.Type()))
	}
	id, err := uuid.NewV7()
	if err != nil {
		return placed, err
	}
	placed = store.PlacedCall{
		RunID: p.run.Start.RunID, ID: id.String(), Path: c.Path(), Number: c.Number(), Once: c.Once(), Queue: queue, Inputs: inputs,
	}
	err = p.inserts.do(ctx, &placed)
	placed.Inputs = nil
	return placed, err
}

// await waits for the outcome of a call.
func (p *placedCalls) await(ctx context.Context, c *store.PlacedCall) ([]byte, error) {
	news := make(chan store.CallState, 1)
	defer p.watch.subscribe(c.ID, func(s store.CallState) {
		select { // keep only the latest
		case <-news:
		default:
		}
		news <- s
	})()
	p.ensureTask(c.Task) //nolint:contextcheck // calls share a task
	alone := time.NewTimer(noWorkerAfter)
	defer alone.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			p.giveUp(ctx, c)
			return nil, ctx.Err()
		case <-alone.C:
			node.Progress(ctx, 0, 0, fmt.Sprintf("no worker has answered the queue %s yet; start one that does", c.Queue))
		case s := <-news:
			if s.Worker != "" {
				alone.Stop()
			}
			if s.Progress != last {
				last = s.Progress
				reportTo(ctx, last)
			}
			if s.Answered {
				p.finishCall(c.Task, false)
				return p.outcome(ctx, c.ID)
			}
		}
	}
}

// outcome reads the outcome of a call.
func (p *placedCalls) outcome(ctx context.Context, id string) ([]byte, error) {
	came := store.CallAnswer{ID: id}
	err := p.run.retryOrLeave(ctx, func(ctx context.Context) error { return p.results.do(ctx, &came) })
	if err == nil && came.Outcome == nil {
		err = store.ErrNoCall
	}
	return came.Outcome, err
}

// readOutcomes reads the outcomes of calls together.
func (l *calls) readOutcomes(ctx context.Context, all []*store.CallAnswer) error {
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

// reportTo reports progress from the database to the node's context.
func reportTo(ctx context.Context, text string) {
	var t progressText
	if json.Unmarshal([]byte(text), &t) == nil {
		node.Progress(ctx, t.Step, t.Total, t.Message)
	}
}

// startTask starts the workflow of calls, and retries until ctx ends.
func (l *calls) startTask(ctx context.Context, t CallTask) {
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

// outcome is the outcome of a placed call as stored, in JSON.
type outcome struct {
	Outputs      json.RawMessage `json:"outputs,omitempty"`
	Code         string          `json:"code,omitempty"` // set for a failure
	Message      string          `json:"message,omitempty"`
	Permanent    bool            `json:"permanent,omitempty"`
	RetryAfterMs int64           `json:"retryAfterMs,omitempty"`
}

func outcomeOf(a engine.Answered) ([]byte, error) {
	o := outcome{}
	if e := a.Err; e != nil {
		o.Code, o.Message, o.Permanent, o.RetryAfterMs = e.Code, e.Message, e.Permanent, e.RetryAfter.Milliseconds()
	} else {
		o.Outputs = value.AppendExact(nil, a.Outputs)
	}
	return json.Marshal(o)
}

// readOutcome returns the outputs of a placed node, or its failure.
func readOutcome(text []byte) (outputs map[string]any, err error) {
	var o outcome
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("the outcome of a placed node cannot be read: %w", err)
	}
	if o.Code != "" {
		return nil, &node.Error{Code: o.Code, Message: o.Message, Permanent: o.Permanent, RetryAfter: time.Duration(o.RetryAfterMs) * time.Millisecond}
	}
	read, err := value.Decode(o.Outputs)
	outputs, ok := read.(map[string]any)
	if err != nil || !ok {
		return nil, fmt.Errorf("the outputs of a placed node cannot be read: %w", err)
	}
	return outputs, nil
}

// progressText is the progress of a placed node as stored, in JSON.
type progressText struct {
	Step    int    `json:"step,omitempty"`
	Total   int    `json:"total,omitempty"`
	Message string `json:"message,omitempty"`
}

func (t progressText) encode() string {
	text, _ := json.Marshal(t) // cannot fail
	return string(text)
}
