package cluster

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
)

// errNoTriggers says what a cluster does not do.
var errNoTriggers = errors.New("triggers do not fire in a cluster; let them fire in svc serve")

// noTriggers is the part of [app.Runs] that triggers need, where none fire.
type noTriggers struct{}

// Wait implements [app.Waits].
func (noTriggers) Wait(context.Context, []drive.Work) ([]app.PutDown, error) {
	return nil, errNoTriggers
}

// Begin implements [app.Waits].
func (noTriggers) Begin(context.Context, string) error { return app.ErrNotWaiting }

// Drop implements [app.Waits].
func (noTriggers) Drop(context.Context, string) error { return app.ErrNotWaiting }

// Waiting implements [app.Waits].
func (noTriggers) Waiting(context.Context) iter.Seq2[run.Start, error] {
	return func(func(run.Start, error) bool) {}
}

// Interrupted implements [app.Waits].
func (noTriggers) Interrupted() []run.Record { return nil }

// Remembered implements [app.Waits].
func (noTriggers) Remembered() {}

// Answer implements [app.Waits].
func (noTriggers) Answer(string) (<-chan node.Reply, func()) { return nil, func() {} }

// Ended implements [app.Runs]: only triggers ask, so nothing comes.
func (noTriggers) Ended(ctx context.Context, _ time.Time, place string) ([]string, string, error) {
	if place == "" {
		return nil, "now", nil
	}
	<-ctx.Done()
	return nil, "", ctx.Err()
}

// ended reports whether a run has no more frames to come.
func ended(s engine.Status) bool { return s != engine.StatusRunning && s != engine.StatusWaiting }
