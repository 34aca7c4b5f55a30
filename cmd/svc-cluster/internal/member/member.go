package member

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/httpapi/keys/ring"
	"github.com/svcflow/svc/store"
)

// Instance has the flags of a process that serves HTTP.
type Instance struct {
	Servers

	Runs int `variable:"SVC_RUNS" placeholder:"N" help:"How many runs this process also drives at once; none by default, because workers do that."`
	Placing
	MaxRuns int `default:"1000" variable:"SVC_MAX_RUNS" placeholder:"N" help:"Number of run slots of the cluster; a start without a free slot gets status 503."`
	serving.Flags
}

// Worker has the flags of a process that drives runs.
type Worker struct {
	Servers

	Runs int `default:"100" variable:"SVC_RUNS" placeholder:"N" help:"How many runs this process drives at once; further runs wait at Temporal, which alternates between workflows. 0 is for workers that only answer queues."`
	Placing
	Answering
	serving.Bounds
	serving.Work
}

// Validate implements kong.Validatable.
func (i *Instance) Validate() error {
	if i.Runs < 0 || i.MaxRuns < 1 {
		return program.Usagef("--runs must be at least 0, and --max-runs at least 1")
	}
	if err := i.read(); err != nil {
		return err
	}
	if err := i.Servers.Validate(); err != nil {
		return err
	}
	return i.Flags.Validate()
}

// Validate implements kong.Validatable.
func (w *Worker) Validate() error {
	if w.Runs < 0 || w.Runs == 0 && len(w.Answer) == 0 {
		return program.Usagef("--runs must be at least 1: a worker without runs and without queues (--answer) has nothing to do")
	}
	if err := w.Placing.read(); err != nil {
		return err
	}
	if err := w.Answering.read(); err != nil {
		return err
	}
	if err := w.Servers.Validate(); err != nil {
		return err
	}
	return w.Work.Validate()
}

// Do serves until ctx ends.
func (i *Instance) Do(ctx context.Context, p *serving.Process) error {
	p, done := p.Buffered()
	defer done()
	keep, about := i.Retention(), aboutWork(p, &i.Work, &i.Placing)
	if key, _ := p.Env(serving.KeyVariable); !i.AllowAnonymous {
		about.Key = keyMark(key, i.Cluster)
	}
	m := &mates{Servers: &i.Servers, placing: i.Placing, drives: i.Runs, maxRuns: i.MaxRuns, runBytes: i.RunBytes, grace: i.Grace, keep: &keep, about: about, serves: true}
	return m.within(ctx, p, i.Log(p), func(ctx context.Context, r *reached) error {
		return i.Serve(ctx, p, m.join(ctx, r))
	})
}

// Do drives runs until ctx ends.
func (w *Worker) Do(ctx context.Context, p *serving.Process) error {
	p, done := p.Buffered()
	defer done()
	m := &mates{
		about: aboutWork(p, &w.Work, &w.Placing), Servers: &w.Servers, placing: w.Placing, answering: w.Answering, drives: w.Runs, runBytes: w.RunBytes, grace: w.Grace,
	}
	return m.within(ctx, p, w.Log(p), func(ctx context.Context, r *reached) error {
		return w.Work.Do(ctx, p, m.join(ctx, r))
	})
}

// mates is the membership of a process in a cluster.
type mates struct {
	*Servers

	placing         Placing
	answering       Answering
	drives, maxRuns int
	runBytes        int64
	grace           time.Duration
	about           About
	keep            *store.Retention // retention that this process enforces; nil leaves that to others
	serves          bool             // serves HTTP and fires triggers
	fail            context.CancelCauseFunc
}

// within connects to the servers and calls do until it ends or the membership fails.
func (m *mates) within(ctx context.Context, p *serving.Process, log *slog.Logger, do func(ctx context.Context, r *reached) error) error {
	r, err := m.reach(ctx, cmp.Or(m.runBytes, -1), p.Version, log)
	if err != nil {
		return err
	}
	defer r.close()
	if err := m.agree(ctx, r); err != nil {
		return err
	}
	bound, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	m.fail = fail
	if err := do(bound, r); err != nil {
		return err
	}
	if ctx.Err() == nil {
		return context.Cause(bound)
	}
	return nil
}

// join returns a function that configures a service as a member.
func (m *mates) join(ctx context.Context, r *reached) func(c *httpapi.Config, log *slog.Logger) error {
	return func(c *httpapi.Config, log *slog.Logger) (err error) {
		db := r.kept.DB()
		if m.serves {
			if c.Keys, err = ring.Join(ctx, clusterdb.NewKeys(db), log); err != nil {
				return fmt.Errorf("--postgres: %w", err)
			}
			c.AuditTo, c.Logins = clusterdb.NewAudit(db), clusterdb.NewLogins(db)
		}
		c.Store, c.State, c.Activations, c.Windows = r.kept, r.kept.State(), r.kept.Activations(), clusterdb.NewWindows(db)
		c.Triggers = m.serves
		var backend *cluster.Runs // set before the first call of Figures
		c.Figures = func() []node.Figure { return backend.Figures() }
		c.Shared = func(env drive.Env) (_ runs.Backend, err error) { //nolint:contextcheck // runs are handed off after ctx has ended
			m.about.Files = filesMark(c.DataDir) // only after the servers were reached
			m.about.Runs, m.about.Answers, m.about.Types = m.drives, m.answering.Answer, env.Types
			r.runs.Describe(m.about.text())
			config := cluster.RunsConfig{
				Shared: r.runs, Temporal: r.temporal, Name: r.name, MaxRuns: m.maxRuns, Drives: m.drives, Keep: m.keep, Fatal: m.fail, Grace: m.grace,
				Place: m.placing.placement, Answer: m.answering.queues,
			}
			if backend, err = cluster.NewRuns(env, config); err != nil {
				return nil, err
			}
			return backend, nil
		}
		return nil
	}
}
