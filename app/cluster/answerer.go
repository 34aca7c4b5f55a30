package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/svcflow/svc/engine"
)

// Queue is one that a process answers.
type Queue struct {
	Name string
	// PerSecond is how many calls all workers of the queue together begin in a second, which
	// Temporal sees to; 0 is no bound.
	PerSecond float64
	// AtOnce is how many calls this process makes at once; 0 means [DefaultRuns].
	AtOnce int
}

// answerers are the workers of queues.
type answerers struct {
	answers *Answers
	workers []worker.Worker
	grace   time.Duration
	once    sync.Once
}

// startAnswers begins to answer queues. A worker that is stopped lets its calls end for as long
// as grace.
func startAnswers(temporal client.Client, answers *Answers, queues []Queue, grace time.Duration) (*answerers, error) {
	all := &answerers{answers: answers, grace: grace}
	for _, q := range queues {
		answers.made.add(q.Name, 0)
		if q.AtOnce == 0 {
			q.AtOnce = DefaultRuns
		}
		w := worker.New(temporal, callQueue(q.Name), worker.Options{
			DisableWorkflowWorker: true, MaxConcurrentActivityExecutionSize: q.AtOnce, TaskQueueActivitiesPerSecond: q.PerSecond,
			WorkerStopTimeout: grace + stopping,
		})
		registerAnswer(w, answers)
		if err := w.Start(); err != nil {
			all.close(context.Background())
			return nil, fmt.Errorf("answer the queue %s for Temporal: %w", q.Name, err)
		}
		all.workers = append(all.workers, w)
	}
	return all, nil
}

func registerAnswer(r interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}, a *Answers,
) {
	r.RegisterActivityWithOptions(a.answer, activity.RegisterOptions{Name: answerName})
}

// answer is the activity of a placed call. As for runs, the end of its context means nothing:
// only the mark at the call ends it.
func (a *Answers) answer(ctx context.Context, id string) error {
	defer alive(ctx)()
	err := a.Answer(context.WithoutCancel(ctx), id)
	if err == nil {
		return nil
	}
	if errors.Is(err, engine.ErrHandedOff) {
		return errHandedOver()
	}
	a.env.Log.WarnContext(ctx, "a placed call cannot be answered; it will be tried again", "call", id, "error", err)
	return temporal.NewApplicationError(notDriven, notDriven)
}

// close answers nothing more, and waits for what is under way until ctx or the grace ends. What
// goes on then is left to others.
func (a *answerers) close(ctx context.Context) {
	if a == nil {
		return
	}
	a.once.Do(func() {
		ctx, cancel := context.WithTimeout(ctx, a.grace)
		defer cancel()
		defer context.AfterFunc(ctx, func() { a.answers.leave(engine.ErrHandedOff) })()
		a.answers.Leave()
		var stopping sync.WaitGroup
		for _, w := range a.workers {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
		a.answers.Close()
	})
}
