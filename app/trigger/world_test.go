package trigger_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/trigger"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	triggers "github.com/svcflow/svc/nodes/trigger"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
)

// world is a host whose runs end at once or when a test says so. It outlives the services that
// use it.
type world struct {
	t     *testing.T
	awake int // workflows that are at hand
	store store.ActivationStore
	env   engine.Env

	mu       sync.Mutex
	patient  bool              // runs do not end until end is called
	full     bool              // there is no run slot
	byKey    map[string]string // run by key
	waiting  []trigger.Waiting
	texts    map[string]string // of what runs begin with
	crashed  []trigger.Interrupted
	chains   map[string]int
	broken   error    // of the disk
	started  []string // what the runs began with, in order
	told     int      // how many of them after has returned
	runs     map[string]*going
	resumed  int
	times    map[string]time.Time // when runs were enqueued
	put      int                  // queued runs without further detail
	ahead    time.Duration        // by how much the clock on the wall is
	services []*trigger.Service
}

type going struct {
	end         chan struct{}
	interrupted bool
	next        string // that resumes it
}

// inWorld calls f in a synctest bubble that starts at midnight UTC of 2000-01-01: once with all
// schedules loaded, and once with unloading whenever possible.
func inWorld(t *testing.T, f func(t *testing.T, w *world)) {
	t.Helper()
	t.Run("awake", func(t *testing.T) { inWorldOf(t, 0, f) })
	t.Run("asleep", func(t *testing.T) { inWorldOf(t, -1, f) })
}

func inWorldOf(t *testing.T, awake int, f func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		registry, err := node.NewRegistry(triggers.Plugin(triggers.Config{}))
		require.NoError(t, err)
		w := &world{
			t: t, awake: awake, store: &memstore.ActivationStore{}, env: engine.Env{Registry: registry},
			byKey: map[string]string{}, runs: map[string]*going{}, texts: map[string]string{}, chains: map[string]int{}, times: map[string]time.Time{},
		}
		defer func() {
			for _, s := range w.services {
				s.Close()
			}
		}()
		f(t, w)
	})
}

// open starts a service with two places for runs.
func (w *world) open() *trigger.Service { return w.openAs(w, w.store) }

// openAs starts one with something between it and the world.
func (w *world) openAs(host trigger.Host, kept store.ActivationStore) *trigger.Service {
	s := trigger.New(trigger.Config{
		Host: host, Store: kept, Slots: 2, MaxLoaded: w.awake,
		Now:    func() time.Time { return time.Now().Add(w.wallAhead()).Round(0) },
		Random: func(most time.Duration) time.Duration { return most / 2 },
	})
	w.services = append(w.services, s)
	synctest.Wait()
	return s
}

func (w *world) wallAhead() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ahead
}

// activate arms a workflow with one schedule for each config, called s0, s1, ….
func (w *world) activate(s *trigger.Service, id string, how store.Activation, configs ...map[string]any) {
	w.t.Helper()
	how.Definition = &workflow.Definition{ID: id}
	for i, config := range configs {
		how.Definition.Nodes = append(how.Definition.Nodes, workflow.Node{ID: fmt.Sprintf("s%d", i), Type: "trigger.schedule", Config: config})
	}
	plan, err := w.Compile(w.t.Context(), how.Definition)
	require.NoError(w.t, err)
	_, err = s.Activate(w.t.Context(), how, plan)
	require.NoError(w.t, err)
}

// shown describes the first trigger of workflow a.
func (w *world) shown(s *trigger.Service) run.Trigger {
	w.t.Helper()
	all, err := s.Activations(w.t.Context())
	require.NoError(w.t, err)
	i := slices.IndexFunc(all, func(a run.Activation) bool { return a.WorkflowID == "a" })
	require.GreaterOrEqual(w.t, i, 0)
	return all[i].Triggers[0]
}

// after lets time pass, and returns what has been started since it was called last, as
// workflow, node, scheduled time and missed ones.
func (w *world) after(d time.Duration) []string {
	<-time.After(d)
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	news := slices.Clone(w.started[w.told:])
	w.told = len(w.started)
	return news
}

// finish ends the run of a number, counted from 1.
func (w *world) finish(n int, interrupted bool) {
	w.mu.Lock()
	r := w.runs[fmt.Sprint("run-", n)]
	r.interrupted = interrupted
	w.mu.Unlock()
	close(r.end)
	synctest.Wait()
}

func (w *world) set(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// Compile implements trigger.Host.
func (w *world) Compile(ctx context.Context, def *workflow.Definition) (*engine.Plan, error) {
	return engine.Compile(ctx, def, w.env)
}

// Wait implements trigger.Host.
func (w *world) Wait(_ context.Context, firings []trigger.Firing) ([]trigger.Waiting, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return nil, w.broken
	}
	var all []trigger.Waiting
	for _, f := range firings {
		made := trigger.Waiting{RunID: w.byKey[f.Key], WorkflowID: f.Definition.ID, Node: f.StartedBy.Trigger, Type: f.StartedBy.Type, Bytes: 100}
		if made.Known = f.Key != "" && made.RunID != ""; !made.Known {
			made.RunID = w.make()
			w.chains[made.RunID] = f.StartedBy.Chain
			if f.Key != "" {
				w.byKey[f.Key] = made.RunID
			}
			w.texts[made.RunID] = fmt.Sprintf("%s.%s %v", f.Definition.ID, f.Firing.Node, f.Firing.Outputs["what"])
			if at, ok := f.Firing.Outputs["scheduled"].(string); ok {
				w.texts[made.RunID] = fmt.Sprintf("%s.%s %s missed %v", f.Definition.ID, f.Firing.Node, strings.TrimSuffix(at, ".000Z"), f.Firing.Outputs["missed"])
			}
			w.waiting = append(w.waiting, made)
			w.times[made.RunID] = time.Now()
		}
		all = append(all, made)
	}
	return all, nil
}

// RunByKey implements trigger.Host.
func (w *world) RunByKey(_ context.Context, key string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byKey[key], nil
}

// Waiting implements trigger.Host.
func (w *world) Waiting(context.Context) ([]trigger.Waiting, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.waiting), nil
}

// Interrupted implements trigger.Host.
func (w *world) Interrupted() []trigger.Interrupted {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.crashed)
}

// Remembered implements trigger.Host.
func (w *world) Remembered() {}

// Begin implements trigger.Host.
func (w *world) Begin(_ context.Context, runID string, _ int64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.waits(runID)
	switch {
	case i < 0:
		return trigger.ErrNotWaiting
	case w.full:
		return fmt.Errorf("%w: no place", trigger.ErrNoSlot)
	}
	w.waiting = slices.Delete(w.waiting, i, i+1)
	w.started = append(w.started, w.texts[runID])
	w.goOn(runID)
	return nil
}

func (w *world) waits(runID string) int {
	return slices.IndexFunc(w.waiting, func(x trigger.Waiting) bool { return x.RunID == runID })
}

// Drop implements trigger.Host.
func (w *world) Drop(_ context.Context, runID string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if i := w.waits(runID); i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
	}
	return nil
}

// Chain implements trigger.Host.
func (w *world) Chain(_ context.Context, runID string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.chains[runID]
}

// make returns the id of a new run.
func (w *world) make() string {
	id := fmt.Sprint("run-", len(w.runs)+1)
	w.runs[id] = &going{end: make(chan struct{})}
	return id
}

// goOn lets a run continue until end is called, or not at all.
func (w *world) goOn(id string) {
	if !w.patient {
		close(w.runs[id].end)
	}
}

// Await implements trigger.Host.
func (w *world) Await(ctx context.Context, runID string) (bool, error) {
	w.mu.Lock()
	r := w.runs[runID]
	w.mu.Unlock()
	select {
	case <-r.end:
		w.mu.Lock()
		defer w.mu.Unlock()
		return r.interrupted, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// Resume implements trigger.Host.
func (w *world) Resume(_ context.Context, runID string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.runs[runID]; r.next == "" {
		w.resumed++
		r.next = w.make()
		w.goOn(r.next)
	}
	return w.runs[runID].next, nil
}

// forgetful is a store whose disk is full as long as err is set.
type forgetful struct {
	store.ActivationStore
	mu  sync.Mutex
	err error
}

var errFull = errors.New("no space left on device")

func (f *forgetful) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

// Remember implements store.ActivationStore.
func (f *forgetful) Remember(ctx context.Context, all ...store.TriggerMemory) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil && slices.ContainsFunc(all, func(m store.TriggerMemory) bool { return strings.Contains(string(m.Memory), `"runId"`) }) {
		return f.err
	}
	return f.ActivationStore.Remember(ctx, all...)
}

// sorted returns the values of a set in order.
func sorted(set map[string]string) []string { return slices.Sorted(maps.Values(set)) }
