package app

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/memstore"
)

// forEachStore runs test with a store of four operations and with one that can do
// more.
func forEachStore(t *testing.T, test func(t *testing.T, s store.WorkflowStore)) {
	t.Helper()
	t.Run("four operations", func(t *testing.T) { test(t, &fourOperations{&memstore.Workflows{}}) })
	t.Run("files", func(t *testing.T) { test(t, filestore.Open(t.TempDir())) })
}

func TestSaveAndDeleteUnderConditions(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store.WorkflowStore) {
		a := newTestApp(t, Config{Store: s})
		first, second := says(t, "w", "first"), says(t, "w", "second")
		save := func(def *workflow.Definition, cond workflow.Condition) error {
			_, err := a.Save(t.Context(), def, cond)
			return err
		}
		match := func(digest string) workflow.Condition { return workflow.Condition{Match: []string{digest}} }

		require.ErrorIs(t, save(first, match(workflow.Any)), workflow.ErrConflict, "there is nothing to replace")
		require.NoError(t, save(first, workflow.Condition{Absent: true}))
		require.ErrorIs(t, save(second, workflow.Condition{Absent: true}), workflow.ErrConflict)
		require.ErrorIs(t, save(second, match(second.Digest())), workflow.ErrConflict)
		require.NoError(t, save(second, match(first.Digest())))
		require.ErrorIs(t, save(first, match(first.Digest())), workflow.ErrConflict, "it has changed since")
		require.NoError(t, save(first, match(workflow.Any)))
		require.NoError(t, save(second, workflow.Condition{}))

		require.ErrorIs(t, a.Delete(t.Context(), "w", match(first.Digest())), workflow.ErrConflict)
		require.NoError(t, a.Delete(t.Context(), "w", match(second.Digest())))
		require.ErrorIs(t, a.Delete(t.Context(), "w", match(workflow.Any)), workflow.ErrConflict)
		require.NoError(t, a.Delete(t.Context(), "w", workflow.Condition{}), "what is not there need not be deleted")
		_, err := a.Workflow(t.Context(), "w")
		require.ErrorIs(t, err, workflow.ErrNotFound)
	})
}

// Of many who want to replace the same state, one wins, whatever the store.
func TestOneOfManyConditionalSavesWins(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store.WorkflowStore) {
		a := newTestApp(t, Config{Store: s})
		base := says(t, "w", "base")
		_, err := a.Save(t.Context(), base, workflow.Condition{})
		require.NoError(t, err)
		var won, lost atomic.Int32
		var group sync.WaitGroup
		for i := range 16 {
			def := says(t, "w", string(rune('a'+i)))
			group.Go(func() {
				_, err := a.Save(t.Context(), def, workflow.Condition{Match: []string{base.Digest()}})
				switch {
				case err == nil:
					won.Add(1)
				case errors.Is(err, workflow.ErrConflict):
					lost.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		group.Wait()
		require.EqualValues(t, 1, won.Load())
		require.EqualValues(t, 15, lost.Load())
	})
}

func TestSaveTakesDraftsAndRefusesIDs(t *testing.T) {
	a := newTestApp(t, Config{})
	meta, err := a.Save(t.Context(), parse(t, `{"id":"draft","nodes":[{"id":"a","type":"no.such"}],"connections":[]}`), workflow.Condition{})
	require.NoError(t, err)
	require.False(t, meta.Valid)
	_, err = a.Save(t.Context(), &workflow.Definition{ID: ".."}, workflow.Condition{})
	require.Equal(t, []string{engine.CodeInvalidID}, codes(t, err))
}

func TestValidity(t *testing.T) {
	forEachStore(t, func(t *testing.T, s store.WorkflowStore) {
		a := newTestApp(t, Config{Store: s})
		valid := func() map[string]bool {
			t.Helper()
			metas, err := workflow.All(t.Context(), a.Workflows)
			require.NoError(t, err)
			m := map[string]bool{}
			for _, meta := range metas {
				m[meta.ID] = meta.Valid
			}
			return m
		}
		meta, err := a.Save(t.Context(), calls(t, "outer", "inner"), workflow.Condition{})
		require.NoError(t, err)
		require.False(t, meta.Valid, "what it calls is not there yet")
		meta, err = a.Save(t.Context(), says(t, "inner", "hello"), workflow.Condition{})
		require.NoError(t, err)
		require.True(t, meta.Valid)
		require.Equal(t, map[string]bool{"inner": true, "outer": true}, valid(), "what it calls is there now")

		_, err = s.Save(t.Context(), parse(t, `{"id":"inner","nodes":[{"id":"a","type":"no.such"}],"connections":[]}`))
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"inner": false, "outer": false}, valid(), "changed behind the App's back")

		require.ErrorContains(t, a.Delete(t.Context(), "inner", workflow.Condition{}), `is called by "outer"`)
		require.NoError(t, s.Delete(t.Context(), "inner"))
		require.Equal(t, map[string]bool{"outer": false}, valid())
	})
}

// A damaged file makes those workflows invalid that need it, and hides none.
func TestADamagedWorkflow(t *testing.T) {
	dir := t.TempDir()
	a := newTestApp(t, Config{Store: filestore.Open(dir)})
	_, err := a.Save(t.Context(), says(t, "inner", "hello"), workflow.Condition{})
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	require.NoError(t, os.WriteFile(files[0], []byte("{"), 0o600))

	meta, err := a.Save(t.Context(), calls(t, "outer", "inner"), workflow.Condition{})
	require.NoError(t, err, "it was saved")
	require.False(t, meta.Valid)
	metas, err := workflow.All(t.Context(), a.Workflows)
	require.NoError(t, err)
	require.Len(t, metas, 2)
	require.True(t, metas[0].Damaged)
	require.Equal(t, "outer", metas[1].ID)
	require.False(t, metas[1].Valid)

	meta, err = a.Save(t.Context(), says(t, "inner", "mended"), workflow.Condition{})
	require.NoError(t, err)
	require.True(t, meta.Valid)
	metas, err = workflow.All(t.Context(), a.Workflows)
	require.NoError(t, err)
	require.True(t, metas[1].Valid)
}

func TestRevisions(t *testing.T) {
	a := newTestApp(t, Config{Store: filestore.Open(t.TempDir())})
	for _, text := range []string{"first", "second", "second"} {
		_, err := a.Save(t.Context(), says(t, "w", text), workflow.Condition{})
		require.NoError(t, err)
	}
	metas, err := a.Revisions(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, metas, 2)
	def, err := a.Revision(t.Context(), "w", 1)
	require.NoError(t, err)
	require.Equal(t, says(t, "w", "first").Digest(), def.Digest())

	plain := newTestApp(t, Config{Store: &fourOperations{&memstore.Workflows{}}})
	_, err = plain.Revisions(t.Context(), "w")
	require.ErrorIs(t, err, ErrNoRevisions)
	_, err = plain.Revision(t.Context(), "w", 1)
	require.ErrorIs(t, err, ErrNoRevisions)
}
