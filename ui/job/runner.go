// Package job runs what is slow in the background of a window: reading and saving, checking
// and writing drafts, following a run, timers. Every goroutine of the window belongs to one
// [Runner], which ends them, waits for them, and runs their results on the goroutine of the
// window. It knows no toolkit.
package job

import (
	"context"
	"sync"
	"time"
)

// Post queues a function for the goroutine that owns the window. It may be called from any
// goroutine.
type Post func(func())

// Job does something slow and returns what is to be done with the outcome on the
// window's goroutine; nil for nothing. ctx ends when the result is no longer needed.
type Job func(ctx context.Context) (then func())

// Runner runs jobs in the background, any number at once. [New] makes the one of a window;
// parts of the window that end earlier have a [Runner.Child]. Its methods belong to the
// window's goroutine, except Wait.
type Runner struct {
	post    Post
	parent  *Runner // nil for the window's own
	ctx     context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// New returns a runner that passes results to post.
func New(post Post) *Runner {
	ctx, cancel := context.WithCancel(context.Background())
	return &Runner{post: post, ctx: ctx, cancel: cancel}
}

// Child returns a runner that can be closed separately, and is closed with r.
func (r *Runner) Child() *Runner {
	ctx, cancel := context.WithCancel(r.ctx)
	return &Runner{post: r.post, parent: r, ctx: ctx, cancel: cancel}
}

// Context is cancelled when the runner is closed.
func (r *Runner) Context() context.Context { return r.ctx }

// Go starts a job. Once the runner is closed, results are dropped and no jobs start.
func (r *Runner) Go(job Job) { r.do(r.ctx, job) }

// Follow runs what in the background. It may pass on any number of results by tell, until it
// returns or the runner is closed; later results are dropped.
func (r *Runner) Follow(what func(ctx context.Context, tell func(news func()))) {
	if r.ctx.Err() == nil {
		r.start(func() { what(r.ctx, func(news func()) { r.back(r.ctx, news) }) })
	}
}

// Every calls a function on the window's goroutine at an interval, until stop is called or
// the runner is closed.
func (r *Runner) Every(period time.Duration, what func()) (stop func()) {
	clock := r.Child()
	clock.Follow(func(ctx context.Context, tell func(func())) {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				tell(what)
			}
		}
	})
	return clock.Close
}

// Close cancels the contexts of all jobs, without waiting; see Wait.
func (r *Runner) Close() { r.cancel() }

// Wait returns when no job is in progress. Results of the last jobs may still wait for the
// window's goroutine.
func (r *Runner) Wait() { r.running.Wait() }

// do runs a job whose result counts until ctx ends.
func (r *Runner) do(ctx context.Context, job Job) {
	if ctx.Err() != nil {
		return
	}
	r.start(func() {
		if then := job(ctx); then != nil {
			r.back(ctx, then)
		}
	})
}

// back queues a result for the window's goroutine, unless ctx has ended: the window may be
// gone.
func (r *Runner) back(ctx context.Context, then func()) {
	if ctx.Err() != nil {
		return
	}
	r.post(func() {
		if ctx.Err() == nil {
			then()
		}
	})
}

// start runs f on a goroutine that r and all its parents wait for.
func (r *Runner) start(f func()) {
	if r.parent == nil {
		r.running.Go(f)
		return
	}
	r.running.Add(1)
	r.parent.start(func() {
		defer r.running.Done()
		f()
	})
}

// Reporter shows the progress of background jobs.
type Reporter interface {
	// Tell shows what is in progress; "" means nothing.
	Tell(text string)
	Complain(err error)
}

// Reporting returns a job that shows what it does while it runs, and its error if it fails.
// Otherwise the job continues with the function that do returns; nil means nothing to do.
func Reporting(t Reporter, what string, do func(ctx context.Context) (then func(), err error)) Job {
	t.Tell(what)
	return func(ctx context.Context) func() {
		then, err := do(ctx)
		return func() {
			t.Tell("")
			switch {
			case err != nil:
				t.Complain(err)
			case then != nil:
				then()
			}
		}
	}
}
