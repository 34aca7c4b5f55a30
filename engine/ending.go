package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/svcflow/svc/engine/node"
)

// AtEnd is what a node wants done when its run ends; see [node.AtEnd].
type AtEnd = func(ctx context.Context, how node.Ending) error

// endings are what is to be done when a run ends. Their methods may be called by several
// goroutines.
type endings struct {
	mu   sync.Mutex
	todo []AtEnd
	over bool
}

func (e *endings) add(f AtEnd) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over { // a call that nobody waits for any more
		e.todo = append(e.todo, f)
	}
}

// take returns all that is to be done; from then on nothing more is.
func (e *endings) take() []AtEnd {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.over = true
	return e.todo
}

// atEndTime is how long what is done at the end of a run may take, all together.
const atEndTime = 10 * time.Second

// finish does what nodes want done at the end of the run. If that fails, so does the run,
// and what is left is done as for a run that has failed.
func (x *execution) finish(ctx context.Context) {
	todo := x.endings.take()
	if len(todo) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), atEndTime)
	defer cancel()
	for _, f := range todo {
		how := node.Ending{Completed: true}
		if failure := x.err(); failure != nil {
			how = node.Ending{Code: failure.Code}
		}
		if err := callAtEnd(ctx, f, how); err != nil {
			if err = x.failure(err); how.Completed {
				x.undone = failureOf(err)
			} else {
				x.warn("what a node wanted done at the end of its run has failed", "", err.Error())
			}
		}
	}
}

// callAtEnd calls f and makes a panic its failure.
func callAtEnd(ctx context.Context, f AtEnd, how node.Ending) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = node.Errorf(node.CodePanic, "the node panicked at the end of the run: %v", fmt.Sprint(p))
		}
	}()
	return f(ctx, how)
}
