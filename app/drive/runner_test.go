package drive

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
)

// TestDrivenRuns passes the suite of runners through a journal, each frame on its own and in
// company.
func TestDrivenRuns(t *testing.T) {
	for _, company := range []time.Duration{0, 50 * time.Millisecond} {
		enginetest.Runner(t, func() engine.Runner { return &driven{t: t, company: company} })
	}
}

// TestContinuedRuns runs the suite with drivers that die at various moments, and others that
// continue the run from its journal.
func TestContinuedRuns(t *testing.T) {
	var seed atomic.Uint64
	for i := range 4 {
		company := time.Duration(i%2) * 50 * time.Millisecond
		enginetest.Runner(t, func() engine.Runner { return &dying{driven{t: t, company: company, seed: seed.Add(1)}} })
	}
}

// driven runs plans as runs that are driven.
type driven struct {
	t       *testing.T
	company time.Duration
	seed    uint64
}

// dying is one whose drivers die.
type dying struct{ driven }

// Dies implements [enginetest.Dying].
func (d *dying) Dies() {}

// Run implements [engine.Runner].
func (d *dying) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	draws := rand.New(rand.NewPCG(d.seed, 7)) //nolint:gosec // it is to be repeatable
	var lives []int
	for range draws.IntN(4) {
		lives = append(lives, 1+draws.IntN(6))
	}
	return d.run(ctx, p, o, lives)
}

// Run implements [engine.Runner].
func (d *driven) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	return d.run(ctx, p, o, nil)
}

// run drives the plan with drivers that die after a number of frames, and a last one that
// survives.
func (d *driven) run(ctx context.Context, p *engine.Plan, o engine.Options, lives []int) (*engine.Run, error) {
	m := &memory{start: run.Start{RunID: o.RunID, Inputs: o.Inputs, Firing: o.Firing, Definition: &workflow.Definition{ID: p.WorkflowID()}}}
	if m.start.RunID == "" {
		m.start.RunID = "run"
	}
	for life := 0; ; life++ {
		caught := &catcher{asked: o}
		host := &driver{memory: m, left: -1, show: func(e engine.Event) {
			if caught.err == nil && o.Observe != nil {
				o.Observe(e)
			}
		}}
		if life < len(lives) {
			host.left = lives[life]
		}
		r := &Run{BatchDelay: d.company, Call: o.Call, Park: 5 * time.Second * time.Duration(d.seed%2)}
		err := driveOn(ctx, d.t, envOf(caught), host, r, p)
		if parked, ok := errors.AsType[*engine.Parked](err); ok {
			_ = node.Sleep(ctx, time.Until(parked.Until)) // a cancel ends the wait
		} else if err == nil {
			return caught.made, caught.err
		}
	}
}

// catcher runs plans with additional options of a test, and keeps the results.
type catcher struct {
	asked engine.Options
	made  *engine.Run
	err   error
}

// Run implements [engine.Runner].
func (c *catcher) Run(ctx context.Context, p *engine.Plan, o engine.Options) (*engine.Run, error) {
	q := &c.asked
	o.RunID, o.Pins, o.Asked, o.Before, o.KeepOutputs, o.Memory, o.CPU = q.RunID, q.Pins, q.Asked, q.Before, q.KeepOutputs, q.Memory, q.CPU
	o.Reuse, o.Lost, o.State, o.AtEnd = q.Reuse, q.Lost, q.State, slices.Clone(q.AtEnd)
	made, err := new(engine.Local).Run(ctx, p, o)
	c.made = made
	if _, invalid := errors.AsType[engine.ValidationErrors](err); invalid {
		c.err = err
	}
	return made, err
}
