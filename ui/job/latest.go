package job

import (
	"context"
	"time"
)

// Latest runs jobs of one kind in the background of which only the last one counts, such as
// checking a document that changes with every key, or loading what the user looks at. See
// [Runner.Latest]. It belongs to the window's goroutine, and ends with its runner.
type Latest struct {
	quiet time.Duration
	jobs  *Runner

	timer   *time.Timer
	pending Job
	ctx     context.Context // of the last job: its result counts until ctx ends
	cancel  context.CancelFunc
	busy    bool
}

// Latest returns a Latest of r whose Do delays jobs by quiet.
func (r *Runner) Latest(quiet time.Duration) *Latest {
	return &Latest{quiet: quiet, jobs: r.Child(), cancel: func() {}}
}

// Do runs job once the quiet time has passed without another call. A waiting job is dropped,
// and so is the result of one in progress.
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

// Now runs job at once, and drops earlier ones as Do does.
func (l *Latest) Now(job Job) {
	l.renew()
	l.start(job)
}

// Busy reports whether a job is in progress whose result counts.
func (l *Latest) Busy() bool { return l.busy }

// Flush runs a waiting job at once, or waits for the one in progress. Its result has been
// applied when Flush returns.
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

// renew drops earlier jobs.
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
