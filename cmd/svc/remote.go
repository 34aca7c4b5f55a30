package main

import (
	"context"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/httpapi/client"
)

// cancelTimeout bounds how long a user who has interrupted svc waits for the
// server to hear of it.
const cancelTimeout = 5 * time.Second

// follow shows all events of a run up to its end, and returns what came of it.
func follow(ctx context.Context, c *client.Client, runID string, observe func(engine.Event)) (*engine.Result, error) {
	for e, err := range c.Events(ctx, runID, 0) {
		if err != nil {
			return nil, err
		}
		observe(e)
	}
	record, err := c.Run(ctx, runID)
	return record.Result, err
}

// cancelled tells the server that nobody wants the run any more, if that is why
// ctx has ended.
func cancelled(ctx context.Context, c *client.Client, runID string) error {
	if ctx.Err() == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer stop()
	return c.Cancel(ctx, runID)
}

// ended is a run that has ended, here or on a server.
type ended interface {
	Status() engine.Status
	Err() *engine.Failure
	Outputs() map[string]any
	AppendJSON(dst []byte, elide int) []byte
}

// fetched is a run that has ended on a server.
type fetched struct{ result *engine.Result }

func (f fetched) Status() engine.Status                   { return f.result.Status }
func (f fetched) Err() *engine.Failure                    { return f.result.Error }
func (f fetched) Outputs() map[string]any                 { return f.result.Outputs }
func (f fetched) AppendJSON(dst []byte, elide int) []byte { return f.result.AppendJSON(dst, elide) }

var (
	_ ended = (*engine.Run)(nil)
	_ ended = fetched{}
)
