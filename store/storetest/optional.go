package storetest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

func testRevisions(t *testing.T, s store.WorkflowStore, r store.Revisions) {
	_, err := r.Revisions(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	first := save(t, s, "w", "1")
	second := save(t, s, "w", "2")
	save(t, s, "w", "2")
	third := save(t, s, "w", "3")
	save(t, s, "other", "x")

	metas, err := r.Revisions(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, metas, 3)
	require.Equal(t, third, metas[0])
	require.Equal(t, second, metas[1])
	require.Equal(t, first, metas[2])
	for _, meta := range metas {
		def, err := r.LoadRevision(t.Context(), "w", meta.Revision)
		require.NoError(t, err)
		require.Equal(t, marshal(t, Definition("w", fmt.Sprint(meta.Revision))), marshal(t, def))
	}
	for _, n := range []int{-1, 0, 4} {
		_, err := r.LoadRevision(t.Context(), "w", n)
		require.ErrorIs(t, err, workflow.ErrNotFound, n)
	}
}

func testRevisionsAfterDelete(t *testing.T, s store.WorkflowStore, r store.Revisions) {
	save(t, s, "w", "old")
	save(t, s, "w", "older")
	require.NoError(t, s.Delete(t.Context(), "w"))
	_, err := r.Revisions(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	_, err = r.LoadRevision(t.Context(), "w", 1)
	require.ErrorIs(t, err, workflow.ErrNotFound)
	save(t, s, "w", "new")
	metas, err := r.Revisions(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, metas, 1)
	require.Equal(t, "new", metas[0].Name)
}

func testSaveIf(t *testing.T, _ store.WorkflowStore, c store.Conditional) {
	one, two := Definition("w", "1"), Definition("w", "2")
	for i, step := range []struct {
		cond workflow.Condition
		ok   bool
	}{
		{workflow.Condition{Match: []string{one.Digest()}}, false}, // does not exist
		{workflow.Condition{Match: []string{workflow.Any}}, false},
		{workflow.Condition{Absent: true}, true},
		{workflow.Condition{Absent: true}, false},
		{workflow.Condition{Match: []string{two.Digest()}}, false},
		{workflow.Condition{Match: []string{"x", one.Digest()}}, true},
		{workflow.Condition{Match: []string{one.Digest()}}, false}, // two is stored by now
		{workflow.Condition{Match: []string{workflow.Any}}, true},
		{workflow.Condition{}, true},
	} {
		def := one
		if i > 4 {
			def = two
		}
		_, err := c.SaveIf(t.Context(), def, step.cond)
		if step.ok {
			require.NoError(t, err, "step %d", i)
		} else {
			require.ErrorIs(t, err, workflow.ErrConflict, "step %d", i)
		}
	}
}

func testDeleteIf(t *testing.T, s store.WorkflowStore, c store.Conditional) {
	match := workflow.Condition{Match: []string{Definition("w", "1").Digest()}}
	require.ErrorIs(t, c.DeleteIf(t.Context(), "w", match), workflow.ErrConflict)
	require.NoError(t, c.DeleteIf(t.Context(), "w", workflow.Condition{}))
	save(t, s, "w", "2")
	require.ErrorIs(t, c.DeleteIf(t.Context(), "w", match), workflow.ErrConflict)
	save(t, s, "w", "1")
	require.NoError(t, c.DeleteIf(t.Context(), "w", match))
	_, err := s.Load(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
}

func testOneWinner(t *testing.T, _ store.WorkflowStore, c store.Conditional) {
	var wins atomic.Int32
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			_, err := c.SaveIf(t.Context(), Definition("w", fmt.Sprint(i)), workflow.Condition{Absent: true})
			if err == nil {
				wins.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, wins.Load())
}

func testVersion(t *testing.T, s store.WorkflowStore, v store.Versioned) {
	_, err := v.Version(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	seen := map[string]bool{}
	for i := range 20 {
		save(t, s, "w", fmt.Sprint(i%2))
		tag, err := v.Version(t.Context(), "w")
		require.NoError(t, err)
		require.False(t, seen[tag], "a tag never comes back")
		seen[tag] = true
		save(t, s, "w", fmt.Sprint(i%2))
		again, err := v.Version(t.Context(), "w")
		require.NoError(t, err)
		require.Equal(t, tag, again)
	}
}

func testWeight(t *testing.T, s store.WorkflowStore, w store.Weighed) {
	_, err := w.Weight(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	last := 0
	for _, items := range []int{1, 1000, 1_000_000} {
		def := Definition("w", "many")
		def.Nodes[0].Config["value"] = make([]any, items)
		_, err := s.Save(t.Context(), def)
		require.NoError(t, err)
		bytes, err := w.Weight(t.Context(), "w")
		require.NoError(t, err)
		require.GreaterOrEqual(t, bytes, def.Weight())
		require.Less(t, bytes, 10*def.Weight())
		require.Greater(t, bytes, last)
		last = bytes
	}
}
