package job

import (
	"context"
	"time"
)

// Latest does jobs of one kind in the background, such as checking a document that
// changes with every key, or loading what the user looks at: only the last one counts.
// See [Runner.Latest]. It belongs to the window's goroutine, and ends with its runner.
type Latest struct {
	quiet time.Duration
	jobs  *Runner

	timer   *time.Timer
	pending Job
	ctx     context.Context // of the last job: its outcome counts until ctx ends
	cancel  context.CancelFunc
	busy    bool
}

// Latest returns a Latest of r whose Do waits for quiet before it does a job.
func (r *Runner) Latest(quiet time.Duration) *Latest {
	return &Latest{quiet: quiet, jobs: r.Child(), cancel: func() {}}
}

// Do has job done once nothing else was asked for during the quiet time. An earlier
// job that was not begun is dropped, and of one that is under way the outcome.
func (l *Latest) Do(job Job) {
	l.renew()
	ctx := l.ctx
	l.pending = job
	l.timer = time.AfterFunc(l.quiet, func() {
		l.jobs.back(ctx, func() {
			if l.pending != nil {
				l.start(l.pending)
			}
		})
	})
}

// Now has job done at once, and drops earlier ones as Do does.
func (l *Latest) Now(job Job) {
	l.renew()
	l.start(job)
}

// Busy reports whether a job is under way whose outcome counts.
func (l *Latest) Busy() bool { return l.busy }

// Flush does a job that waits for quiet at once, and returns when it is done; its
// outcome is applied before. Without one it waits for the job that is under way.
func (l *Latest) Flush() {
	job := l.pending
	if job != nil {
		l.Stop()
	}
	l.jobs.Wait()
	if job == nil {
		return
	}
	if then := job(context.Background()); then != nil {
		then()
	}
}

// Stop drops everything and cancels the job in progress, without waiting for it.
func (l *Latest) Stop() {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.cancel()
	l.pending, l.busy = nil, false
}

// Close drops everything, cancels the jobs in progress and waits for them.
func (l *Latest) Close() {
	l.Stop()
	l.jobs.Wait()
}

// renew drops what there was before another job.
func (l *Latest) renew() {
	l.Stop()
	l.ctx, l.cancel = context.WithCancel(l.jobs.ctx)
}

func (l *Latest) start(job Job) {
	l.pending, l.busy = nil, true
	l.jobs.do(l.ctx, func(ctx context.Context) func() {
		then := job(ctx)
		return func() {
			l.busy = false
			if then != nil {
				then()
			}
		}
	})
}
