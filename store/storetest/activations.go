package storetest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Activations tests stores of activations. newStore returns a function that opens a store for one
// test. Stores opened before stay open, as if in other processes.
func Activations(t *testing.T, newStore func(t *testing.T) (open func() store.ActivationStore)) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, func() store.ActivationStore)
	}{
		{"life of an activation", testActivation},
		{"ids are no paths", testActivationIDs},
		{"what triggers remember", testTriggerMemory},
		{"one lets triggers fire", testArm},
		{"done contexts", testActivationContexts},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore(t)) })
	}
}

// activation returns an activation of a workflow with the given revision.
func activation(id string, revision int) store.Activation {
	return store.Activation{
		Revision: revision, Since: time.Date(2026, 1, 31, 8, 0, 0, 123000, time.UTC), Armed: time.Date(2026, 2, 1, 8, 0, 0, 0, time.UTC), Concurrency: 2,
		OnInterrupted: run.Leave, Definition: Definition(id, "<"+id+">"),
	}
}

func requireActivation(t *testing.T, want, got store.Activation) {
	t.Helper()
	require.Equal(t, marshal(t, want.Definition), marshal(t, got.Definition))
	got.Definition = want.Definition
	require.Equal(t, want, got)
}

// allActivations returns all activations of a store, sorted by workflow, and the errors of damaged
// ones.
func allActivations(ctx context.Context, s store.ActivationStore) (all []store.Activation, err error) {
	for a, failed := range s.Activations(ctx) {
		if err = errors.Join(err, failed); failed == nil {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(x, y store.Activation) int { return strings.Compare(x.Definition.ID, y.Definition.ID) })
	return all, err
}

func testActivation(t *testing.T, open func() store.ActivationStore) {
	s := open()
	all, err := allActivations(t.Context(), s)
	require.NoError(t, err)
	require.Empty(t, all)
	_, err = s.Activation(t.Context(), "a")
	require.ErrorIs(t, err, store.ErrNotActive)
	require.ErrorIs(t, s.Deactivate(t.Context(), "a"), store.ErrNotActive)

	require.NoError(t, s.Activate(t.Context(), activation("b", 1)))
	require.NoError(t, s.Activate(t.Context(), activation("a", 1)))
	require.NoError(t, s.Activate(t.Context(), activation("a", 2)))
	for _, s := range []store.ActivationStore{s, open()} {
		all, err = allActivations(t.Context(), s)
		require.NoError(t, err)
		require.Len(t, all, 2)
		requireActivation(t, activation("a", 2), all[0])
		requireActivation(t, activation("b", 1), all[1])
		one, err := s.Activation(t.Context(), "a")
		require.NoError(t, err)
		requireActivation(t, activation("a", 2), one)
	}
	require.NoError(t, s.Deactivate(t.Context(), "a"))
	all, err = allActivations(t.Context(), open())
	require.NoError(t, err)
	require.Len(t, all, 1)
}

func testActivationIDs(t *testing.T, open func() store.ActivationStore) {
	s := open()
	ids := []string{"../up", "a/b", "A/B", "con", "ä \"x\"", "%2F", "memory", ".lock"}
	for i, id := range ids {
		require.NoError(t, s.Activate(t.Context(), activation(id, i)))
		require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: id, NodeID: "../" + id, Memory: []byte(`{"of":1}`)}))
	}
	all, err := allActivations(t.Context(), s)
	require.NoError(t, err)
	require.Len(t, all, len(ids))
	for i, id := range ids {
		one, err := s.Activation(t.Context(), id)
		require.NoError(t, err)
		requireActivation(t, activation(id, i), one)
	}
}

func testTriggerMemory(t *testing.T, open func() store.ActivationStore) {
	s := open()
	require.NoError(t, s.Activate(t.Context(), activation("a", 1)))
	require.NoError(t, s.Activate(t.Context(), activation("b", 1)))
	memory, err := s.Memory(t.Context(), "a", "n")
	require.NoError(t, err)
	require.Nil(t, memory)
	require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: "a", NodeID: "n", Memory: []byte(`{"x":1}`)}))
	require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: "a", NodeID: "n", Memory: []byte(`{"x":2}`)}))
	require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: "a", NodeID: "m", Memory: []byte(`{"x":3}`)}))
	require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: "b", NodeID: "n", Memory: []byte(`{"x":4}`)}))
	require.NoError(t, s.Activate(t.Context(), activation("a", 2)))
	for node, want := range map[string]string{"n": `{"x":2}`, "m": `{"x":3}`} {
		memory, err = open().Memory(t.Context(), "a", node)
		require.NoError(t, err)
		require.Equal(t, want, string(memory), "another revision forgets nothing")
	}
	require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: "a", NodeID: "m"},
		store.TriggerMemory{WorkflowID: "a", NodeID: "o", Memory: []byte(`{"x":5}`)}))
	for node, want := range map[string]string{"m": "", "o": `{"x":5}`} {
		memory, err = open().Memory(t.Context(), "a", node)
		require.NoError(t, err)
		require.Equal(t, want, string(memory), "several in one step")
	}
	require.NoError(t, s.Deactivate(t.Context(), "a"))
	memory, err = s.Memory(t.Context(), "a", "n")
	require.NoError(t, err)
	require.Nil(t, memory)
	memory, err = s.Memory(t.Context(), "b", "n")
	require.NoError(t, err)
	require.Equal(t, `{"x":4}`, string(memory))
}

func testArm(t *testing.T, open func() store.ActivationStore) {
	s, other := open(), open()
	arming, err := s.Arm(t.Context())
	require.NoError(t, err)
	_, err = other.Arm(t.Context())
	require.ErrorIs(t, err, store.ErrArmedElsewhere)
	require.NoError(t, other.Activate(t.Context(), activation("a", 1)), "what is kept can be changed all the same")
	arming.Release()
	again, err := other.Arm(t.Context())
	require.NoError(t, err)
	arming.Release()
	_, err = s.Arm(t.Context())
	require.ErrorIs(t, err, store.ErrArmedElsewhere, "it is not its any more")
	again.Release()
}

func testActivationContexts(t *testing.T, open func() store.ActivationStore) {
	s := open()
	require.NoError(t, s.Activate(t.Context(), activation("a", 1)))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.Activate(ctx, activation("a", 2)), context.Canceled)
	require.ErrorIs(t, s.Deactivate(ctx, "a"), context.Canceled)
	require.ErrorIs(t, s.Remember(ctx, store.TriggerMemory{WorkflowID: "a", NodeID: "n", Memory: []byte("{}")}), context.Canceled)
	_, err := s.Arm(ctx)
	require.ErrorIs(t, err, context.Canceled)
	one, err := s.Activation(t.Context(), "a")
	require.NoError(t, err)
	require.Equal(t, 1, one.Revision)
	require.Error(t, s.Activate(t.Context(), store.Activation{Definition: &workflow.Definition{ID: ".."}}))
}
