package session

import (
	"context"
	"sync"
)

// Post runs a function on the goroutine that owns the window, soon. It is called from
// other goroutines.
type Post func(func())

// Job does something slow and returns what is to be done with the outcome on the
// view's goroutine; nil for nothing. ctx ends when the outcome is of no use any more.
type Job func(ctx context.Context) (then func())

// Jobs does jobs in the background, any number at once. Make them with [NewJobs]. They
// are safe for concurrent use.
type Jobs struct {
	post    Post
	running sync.WaitGroup
}

// NewJobs returns Jobs that bring outcomes back with post.
func NewJobs(post Post) *Jobs { return &Jobs{post: post} }

// Go begins a job. Once ctx has ended its outcome is dropped, and no job begins.
func (j *Jobs) Go(ctx context.Context, job Job) {
	if ctx.Err() != nil {
		return
	}
	j.running.Go(func() {
		then := job(ctx)
		if then == nil || ctx.Err() != nil { // then there may be no window any more
			return
		}
		j.post(func() {
			if ctx.Err() == nil {
				then()
			}
		})
	})
}

// Wait returns when no job is under way. What comes of the last ones may still be to be
// done on the view's goroutine.
func (j *Jobs) Wait() { j.running.Wait() }
