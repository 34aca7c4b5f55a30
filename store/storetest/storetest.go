// Package storetest contains the suites that all stores must pass.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// Run tests the stores that newStore returns, each of which must be empty. Optional interfaces are
// tested if the stores implement them.
func Run(t *testing.T, newStore func(t *testing.T) store.WorkflowStore) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, store.WorkflowStore)
	}{
		{"empty", testEmpty},
		{"save and load", testSaveAndLoad},
		{"round trip", testRoundTrip},
		{"ids", testIDs},
		{"refused ids", testRefusedIDs},
		{"update", testUpdate},
		{"same again", testSameAgain},
		{"not a document", testNotADocument},
		{"delete", testDelete},
		{"list", testList},
		{"pages", testWorkflowPages},
		{"pages while they change", testPagesWhileTheyChange},
		{"pages of odd ids", testPageOfOddIDs},
		{"sizes of pages", testSizesOfPages},
		{"cancelled", testCancelled},
		{"concurrent saves", testConcurrentSaves},
		{"concurrent use", testConcurrentUse},
		{"revisions", optional(testRevisions)},
		{"revisions of a new life", optional(testRevisionsAfterDelete)},
		{"conditional save", optional(testSaveIf)},
		{"conditional delete", optional(testDeleteIf)},
		{"one winner", optional(testOneWinner)},
		{"version", optional(testVersion)},
		{"weight", optional(testWeight)},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore(t)) })
	}
}

// optional skips a test of an optional interface if the store does not implement it.
func optional[T any](test func(*testing.T, store.WorkflowStore, T)) func(*testing.T, store.WorkflowStore) {
	return func(t *testing.T, s store.WorkflowStore) {
		if o, ok := s.(T); ok {
			test(t, s, o)
		}
	}
}

// Definition returns a small workflow.
func Definition(id, name string) *workflow.Definition {
	return &workflow.Definition{
		ID: id, Name: name, Description: "Says hello.",
		Nodes: []workflow.Node{{ID: "out", Type: "io.output", Config: map[string]any{"name": "greeting", "value": "hello"}}},
	}
}

func save(t *testing.T, s store.WorkflowStore, id, name string) workflow.Meta {
	t.Helper()
	meta, err := s.Save(t.Context(), Definition(id, name))
	require.NoError(t, err)
	return meta
}

// text returns the canonical JSON of the workflow stored under id.
func text(t *testing.T, s store.WorkflowStore, id string) string {
	t.Helper()
	def, err := s.Load(t.Context(), id)
	require.NoError(t, err)
	return marshal(t, def)
}

func marshal(t *testing.T, def *workflow.Definition) string {
	t.Helper()
	b, err := def.MarshalJSON()
	require.NoError(t, err)
	return string(b)
}

func testEmpty(t *testing.T, s store.WorkflowStore) {
	metas, err := workflow.All(t.Context(), s.List)
	require.NoError(t, err)
	require.NotNil(t, metas, "it is [] in JSON")
	require.Empty(t, metas)
	_, err = s.Load(t.Context(), "absent")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	require.NoError(t, s.Delete(t.Context(), "absent"))
}

func testSaveAndLoad(t *testing.T, s store.WorkflowStore) {
	meta := save(t, s, "greet", "Greet")
	require.Equal(t, workflow.Meta{
		ID: "greet", Name: "Greet", Description: "Says hello.", NodeCount: 1, Revision: 1,
		CreatedAt: meta.CreatedAt, UpdatedAt: meta.CreatedAt,
	}, meta)
	require.False(t, meta.CreatedAt.IsZero())
	require.Equal(t, marshal(t, Definition("greet", "Greet")), text(t, s, "greet"))
}

func testRoundTrip(t *testing.T, s store.WorkflowStore) {
	const posted = `{"id":"full","name":"","description":"\u202eRTL 🚀 é","nodes":[
		{"id":"a","type":"x.y","label":"","config":{"n":9007199254740993,"f":1.5,"z":null,"l":[],"r":{},"s":"\u0001\u2028"},
		 "position":{"x":0,"y":-0.5},"timeoutMs":1,"retry":{"maxAttempts":3},"disabled":false,
		 "body":{"nodes":[{"id":"b","type":"z.z"}],"connections":[]}}],
		"connections":[],"groups":[],"notes":[{"id":"n","text":"","size":{"w":1,"h":2}}]}`
	def, err := workflow.Decode([]byte(posted), workflow.DefaultLimits())
	require.NoError(t, err)
	_, err = s.Save(t.Context(), def)
	require.NoError(t, err)
	require.Equal(t, marshal(t, def), text(t, s, "full"))
}

func ids() []string {
	return []string{
		"plain", "A", "a", "a/b", "a\\b", "../../etc/passwd", "/abs", "...", "con", "CON", "nul.json", "health",
		".hidden", ".lock", "trailing.", "trailing ", " leading", "a.json", "%2e%2e", "x:y", "*?<>|\"", "-",
		strings.Repeat("ש🚀", 100), strings.Repeat("w", 200), "é", "e\u0301",
	}
}

func testIDs(t *testing.T, s store.WorkflowStore) {
	for i, id := range ids() {
		require.Equal(t, id, save(t, s, id, fmt.Sprint(i)).ID)
	}
	metas, err := workflow.All(t.Context(), s.List)
	require.NoError(t, err)
	require.Len(t, metas, len(ids()), "no two ids share a place")
	for i, id := range ids() {
		def, err := s.Load(t.Context(), id)
		require.NoError(t, err, "%q", id)
		require.Equal(t, id, def.ID)
		require.Equal(t, fmt.Sprint(i), def.Name, "%q", id)
	}
	for _, id := range ids() {
		require.NoError(t, s.Delete(t.Context(), id), "%q", id)
	}
	testEmpty(t, s)
}

func testRefusedIDs(t *testing.T, s store.WorkflowStore) {
	for _, id := range []string{"", ".", "..", "a\x00b", "line\nbreak", strings.Repeat("w", 201)} {
		_, err := s.Save(t.Context(), Definition(id, "no"))
		require.Error(t, err, "%q", id)
		_, err = s.Load(t.Context(), id)
		require.ErrorIs(t, err, workflow.ErrNotFound, "%q", id)
		require.NoError(t, s.Delete(t.Context(), id), "%q", id)
	}
	testEmpty(t, s)
}

func testUpdate(t *testing.T, s store.WorkflowStore) {
	first := save(t, s, "w", "one")
	second := save(t, s, "w", "two")
	require.Equal(t, 2, second.Revision)
	require.Equal(t, first.CreatedAt, second.CreatedAt)
	require.True(t, second.UpdatedAt.After(first.UpdatedAt))
	require.Equal(t, marshal(t, Definition("w", "two")), text(t, s, "w"))
}

func testSameAgain(t *testing.T, s store.WorkflowStore) {
	save(t, s, "w", "one")
	second := save(t, s, "w", "two")
	require.Equal(t, second, save(t, s, "w", "two"))
}

// testNotADocument checks that a definition built by a program, which is no valid document, is
// refused: it could not be loaded again.
func testNotADocument(t *testing.T, s store.WorkflowStore) {
	save(t, s, "w", "one")
	def := Definition("w", "two")
	def.Nodes[0].TimeoutMs = -1
	_, err := s.Save(t.Context(), def)
	require.Error(t, err)
	require.Equal(t, marshal(t, Definition("w", "one")), text(t, s, "w"))
}

func testDelete(t *testing.T, s store.WorkflowStore) {
	save(t, s, "w", "one")
	save(t, s, "w", "two")
	save(t, s, "other", "stays")
	require.NoError(t, s.Delete(t.Context(), "w"))
	_, err := s.Load(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	text(t, s, "other")
	again := save(t, s, "w", "three")
	require.Equal(t, 1, again.Revision, "a new workflow")
	require.Equal(t, again.UpdatedAt, again.CreatedAt)
}

func testList(t *testing.T, s store.WorkflowStore) {
	want := []workflow.Meta{save(t, s, "a", "1"), save(t, s, "b", "2"), save(t, s, "c", "3")}
	want[1] = save(t, s, "b", "4")
	for range 2 {
		metas, err := workflow.All(t.Context(), s.List)
		require.NoError(t, err)
		require.Equal(t, want, metas)
	}
}

func testCancelled(t *testing.T, s store.WorkflowStore) {
	save(t, s, "w", "one")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := workflow.All(ctx, s.List)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Load(ctx, "w")
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Save(ctx, Definition("w", "two"))
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.Delete(ctx, "w"), context.Canceled)
	require.Equal(t, marshal(t, Definition("w", "one")), text(t, s, "w"))
}

func testConcurrentSaves(t *testing.T, s store.WorkflowStore) {
	const writers, saves = 4, 5
	revisions := make(chan int, writers*saves)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for n := range saves {
				meta, err := s.Save(t.Context(), Definition("shared", fmt.Sprint(w, n)))
				assert.NoError(t, err)
				revisions <- meta.Revision
			}
		})
	}
	wg.Wait()
	close(revisions)
	seen := map[int]bool{}
	for n := range revisions {
		seen[n] = true
	}
	require.Len(t, seen, writers*saves, "every save has a revision of its own")
	require.True(t, seen[1] && seen[writers*saves])
}

func testConcurrentUse(t *testing.T, s store.WorkflowStore) {
	save(t, s, "shared", "0")
	var wg sync.WaitGroup
	for n := range 4 {
		own := fmt.Sprint(n)
		wg.Go(func() {
			for i := range 5 {
				for _, id := range []string{"shared", own} {
					_, err := s.Save(t.Context(), Definition(id, fmt.Sprint(n, i)))
					assert.NoError(t, err)
					_, err = s.Load(t.Context(), id)
					assert.NoError(t, err)
				}
				metas, err := workflow.All(t.Context(), s.List)
				assert.NoError(t, err)
				assert.True(t, slices.ContainsFunc(metas, func(m workflow.Meta) bool { return m.ID == own }))
				assert.NoError(t, s.Delete(t.Context(), own))
			}
		})
	}
	wg.Wait()
	metas, err := workflow.All(t.Context(), s.List)
	require.NoError(t, err)
	require.Len(t, metas, 1)
}
