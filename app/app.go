// Package app is Svc without a user interface: what the HTTP service, the command line and the
// desktop editor share. An [App] has a registry of node types, a store of
// workflows, a runner and a journal of asynchronous runs, and does with them what
// users ask for: validate, run, save, list; start, follow, cancel, resume.
//
// It knows neither HTTP nor windows. Its callers decide what the nodes may touch,
// through Config.Env.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/internal/slots"
	"github.com/svcflow/svc/app/localruns"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/folder"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/statelog"
)

// Config is what an App is made of.
type Config struct {
	// Env is what the built-in nodes may touch: network, files, environment and
	// credentials. See nodes.Sandbox and nodes.Local.
	Env nodes.Env
	// ExtraPlugins add node types to the built-in ones. The App closes those that are an
	// io.Closer, once nothing runs any more.
	ExtraPlugins []node.Plugin
	// Store keeps workflows; nil keeps them in memory.
	Store store.WorkflowStore
	// Runs keeps asynchronous runs; nil keeps the last 1,000 of them, up to
	// 256 MiB, in memory. The App closes it.
	Runs store.RunStore
	// Shared, if set, makes what keeps and drives the asynchronous runs instead of
	// package localruns over Runs, from what the App has for them. The App closes it.
	Shared func(drive.Env) (runs.Backend, error)
	// Record says which of the runs that somebody waits for are recorded, too.
	Record Recording
	// Triggers lets the triggers of workflows fire that are active; see [App.Activate].
	Triggers bool
	// Activations keeps which workflows are active; nil keeps that in memory.
	Activations store.ActivationStore
	// State keeps the small values that outlive runs; nil keeps them in memory. It is for the
	// runs of stored workflows; others begin with an empty one, unless KeepState lets them
	// have that of the workflow of their id.
	State     store.StateStore
	KeepState bool
	// Runner runs plans; nil means a new engine.Local.
	Runner engine.Runner
	// Limits bounds documents; nil means workflow.DefaultLimits.
	Limits *workflow.Limits
	// Loading, if set, loads every stored workflow that is to be compiled. It calls load when
	// there is memory for about the given number of bytes, which is 0 if the store cannot
	// estimate it (see store.Weighed). ctx is that of the caller.
	Loading func(ctx context.Context, bytes int, load func() (*workflow.Definition, error)) (*workflow.Definition, error)
	// Crowded, if set, reports whether there is too little memory for another run. ctx is that
	// of the caller who starts it.
	Crowded func(ctx context.Context) bool
	// Log takes what operators should know; nil discards it.
	Log *slog.Logger
}

// App does what the service and the editor offer. It is safe for concurrent use. Callers that start
// asynchronous runs must call Close.
type App struct {
	registry *node.Registry
	store    store.WorkflowStore
	limits   workflow.Limits
	loading  func(ctx context.Context, bytes int, load func() (*workflow.Definition, error)) (*workflow.Definition, error)
	log      *slog.Logger

	plans    *planCache
	verdicts *verdicts
	saves    slots.KeyedMutex // for stores that cannot compare and change in one step

	files    folder.Disk      // files of runs; without Files, runs have none
	folders  folders          // folders in use
	swept    sync.WaitGroup   // removing files of deleted runs
	putting  slots.KeyedMutex // changing files, by path
	triggers triggers         // nil if triggers do not fire here

	activations store.ActivationStore // nil if triggers do not fire here

	resuming  slots.KeyedMutex // automatic resumes, by run
	runs      runs.Backend
	env       drive.Env
	recording Recording
	admission slots.Admission // of synchronous runs
	syncSlots slots.Pool
	life      context.Context // ends when Close interrupts the runs
	interrupt context.CancelCauseFunc
	plugins   []node.Plugin
	closing   sync.Once
	closeErr  error
}

// New makes an App, which begins to bring the unfinished runs in Config.Runs to
// their end (see [App.Recover]). Its error names every plugin that cannot be
// registered, or says that the runs cannot be read.
func New(c Config) (*App, error) {
	plugins := append(nodes.Builtin(c.Env), c.ExtraPlugins...)
	registry, err := node.NewRegistry(plugins...)
	if err != nil {
		return nil, fmt.Errorf("register node types: %w", err)
	}
	a := &App{
		registry: registry, plugins: plugins, store: c.Store, limits: workflow.DefaultLimits(), loading: c.Loading, log: c.Log,
		plans: newPlanCache(), verdicts: newVerdicts(), recording: c.Record,
	}
	a.syncSlots = slots.NewPool(MaxRunning, runs.ErrBusy)
	a.admission.LowMemory = c.Crowded
	a.life, a.interrupt = context.WithCancelCause(context.Background())
	if a.store == nil {
		a.store = &memstore.Workflows{}
	}
	if c.Limits != nil {
		a.limits = *c.Limits
	}
	if a.log == nil {
		a.log = slog.New(slog.DiscardHandler)
	}
	a.files = shared(c.Env.Files)
	a.env = a.driving(&c)
	if a.runs, err = c.runs(a.env); err != nil {
		return nil, err
	}
	if a.keepsFiles() {
		a.files.Files.(folder.Shared).WhenFull(a.makeRoom)
		a.swept.Go(a.sweep)
	}
	if c.Triggers {
		a.triggers = a.newTriggers(c.Activations)
	}
	return a, nil
}

// driving returns what a has for those who drive its runs.
func (a *App) driving(c *Config) drive.Env {
	env := drive.Env{
		Runner: c.Runner, Compile: a.compileRecorded, State: c.State, KeepState: c.KeepState,
		WithFiles: a.working, LowMemory: c.Crowded, Secrets: c.secrets, Log: a.log,
	}
	for _, spec := range a.registry.Specs() {
		env.Types = append(env.Types, spec.Type)
	}
	if env.State == nil {
		env.State = &statelog.Memory{}
	}
	if env.Runner == nil {
		env.Runner = &engine.Local{Log: c.Log}
	}
	return env
}

// runs makes what keeps and drives the asynchronous runs.
func (c *Config) runs(env drive.Env) (runs.Backend, error) {
	if c.Shared != nil {
		return c.Shared(env)
	}
	runs := c.Runs
	if runs == nil {
		runs = &memstore.Runs{Retention: store.Retention{Runs: 1000, Bytes: 256 << 20}, RunBytes: limit.RunBytes}
	}
	return localruns.New(env, runs, c.Triggers)
}

// Limits returns what bounds the documents that a takes.
func (a *App) Limits() workflow.Limits { return a.limits }

// Registry returns the node types, for what checks workflows without asking a.
func (a *App) Registry() *node.Registry { return a.registry }

// NodeTypes returns the specs of all node types, sorted by type. Its error is always
// nil; it has the form that it has for a client of a server.
func (a *App) NodeTypes(context.Context) ([]*node.Spec, error) { return a.registry.Specs(), nil }

// NodeType returns the spec of one node type.
func (a *App) NodeType(typ string) (*node.Spec, bool) {
	n, ok := a.registry.Lookup(typ)
	if !ok {
		return nil, false
	}
	return &n.Spec, true
}

// Choices tells the values that make sense for an input of a node type, for a node
// with that config so far. The error is engine.ErrNoChoices where nothing tells them,
// and a node.Error where that fails, say because an account cannot be used.
func (a *App) Choices(ctx context.Context, typ, port string, config map[string]any) ([]node.Choice, error) {
	if err := a.admission.Acquire(ctx, &a.syncSlots); err != nil {
		return nil, err
	}
	defer a.admission.Finish(&a.syncSlots)
	return engine.Choices(ctx, a.registry, typ, port, config)
}

// Networks returns the networks of which node types take credentials, sorted.
func (a *App) Networks() []string {
	var names []string
	for _, spec := range a.registry.Specs() {
		for i := range spec.Inputs {
			names = append(names, spec.Inputs[i].Networks...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Validate returns everything that is wrong with def, in document order; nothing
// means that it can run. It runs no node. Its error means that the question could
// not be answered.
func (a *App) Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error) {
	_, err := a.compile(ctx, def)
	if problems, ok := errors.AsType[engine.ValidationErrors](err); ok {
		return problems, nil
	}
	return nil, err
}
