package cluster

import (
	"context"
	"log/slog"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/store"
)

// Names of what is frozen.
const (
	RunName   = runName
	DriveName = driveName
	WakeName  = wakeName

	CallName   = callName
	CallsName  = callsName
	AnswerName = answerName
)

// Halt is where a driver has left a run.
type Halt = driveResult

// Task returns what the workflow of a run is started with.
func Task(pure bool) any { return task{Pure: pure} }

// Register makes known what a worker with that driver does, and returns what makes it leave
// its runs.
func Register(r worker.Registry, d Driver, log *slog.Logger) (leave func()) {
	registerRun(r)
	return RegisterDrive(r, d, log)
}

// RegisterRun makes the workflow of runs known.
func RegisterRun(r worker.WorkflowRegistry) { registerRun(r) }

// RegisterDrive makes the activity known.
func RegisterDrive(r interface {
	RegisterActivityWithOptions(a any, options activity.RegisterOptions)
}, d Driver, log *slog.Logger,
) (leave func()) {
	leaving, cancel := context.WithCancelCause(context.Background())
	registerDrive(r, &drives{driver: d, log: log, leaving: leaving})
	return func() { cancel(engine.ErrHandedOff) }
}

// Tasks has runs driven.
type Tasks = tasks

// RunsOver returns the runs of a cluster that are driven by other means than Temporal.
func RunsOver(env drive.Env, c RunsConfig, made func(d Driver) Tasks) *Runs {
	r := newRuns(env, &c)
	r.tasks = made(r.holder)
	return r
}

// NewLeadingPlayer returns a player that has placed nodes called elsewhere, until it is closed.
func NewLeadingPlayer(env drive.Env, runs store.SharedRuns, place Placement, tasks CallTasks) (p Player, done func()) {
	led := newCalls(place, runs, tasks, env.Log)
	return &player{&env, runs, led}, led.close
}

// Led returns how many calls such a player has left to a queue, and Made how many somebody has
// made of it.
func Led(p Player, queue string) int64     { return p.(*player).calls.placedCount.byQueue[queue] }
func (a *Answers) Made(queue string) int64 { return a.made.byQueue[queue] }

// Holding returns how many runs are held.
func (h *Holder) Holding() int { return h.holding() }
