package session

import (
	"context"
	"sync"
	"time"
)

// Post runs a function on the goroutine that owns the window, soon. It is called from
// other goroutines.
type Post func(func())

// Job does something slow and returns what is to be done with the outcome on the
// view's goroutine; nil for nothing. ctx ends when the outcome is of no use any more.
type Job func(ctx context.Context) (then func())

// Latest does jobs of one kind in the background, such as checking a document that
// changes with every key: only the last one counts, and only once it has been quiet
// for a while. Make one with [NewLatest] and end it with Close. It belongs to the
// view's goroutine.
type Latest struct {
	quiet time.Duration
	post  Post

	timer   *time.Timer
	pending Job
	cancel  context.CancelFunc // of the job that is under way
	turn    *int               // whose outcome counts
	running sync.WaitGroup
}

// NewLatest returns a Latest that waits for quiet before it does a job.
func NewLatest(quiet time.Duration, post Post) *Latest {
	return &Latest{quiet: quiet, post: post, cancel: func() {}, turn: new(int)}
}

// Do has job done once nothing else was asked for during the quiet time. An earlier
// job that was not begun is dropped, and of one that is under way the outcome.
func (l *Latest) Do(job Job) {
	l.drop()
	l.pending = job
	turn := l.turn
	l.timer = time.AfterFunc(l.quiet, func() {
		l.post(func() {
			if l.turn == turn && l.pending != nil {
				l.start()
			}
		})
	})
}

// Flush does a job that waits for quiet at once, and returns when it is done; its
// outcome is applied before. Without one it waits for the job that is under way.
func (l *Latest) Flush() {
	job := l.pending
	if job == nil {
		l.running.Wait()
		return
	}
	l.drop()
	l.running.Wait()
	if then := job(context.Background()); then != nil {
		then()
	}
}

// Close drops everything and waits for the job that is under way, which is told.
func (l *Latest) Close() {
	l.drop()
	l.running.Wait()
}

func (l *Latest) drop() {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.cancel()
	l.pending, l.turn = nil, new(int)
}

func (l *Latest) start() {
	job, turn := l.pending, l.turn
	l.pending = nil
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	l.running.Go(func() {
		defer cancel()
		then := job(ctx)
		if then == nil || ctx.Err() != nil {
			return
		}
		l.post(func() {
			if l.turn == turn {
				then()
			}
		})
	})
}
