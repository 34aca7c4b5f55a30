package app

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
)

// countingStore counts what is loaded from it.
type countingStore struct {
	*filestore.Store

	loads, saves int
}

func (s *countingStore) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	s.loads++
	return s.Store.Load(ctx, id)
}

func (s *countingStore) LoadRevision(ctx context.Context, id string, n int) (*workflow.Definition, error) {
	s.loads++
	return s.Store.LoadRevision(ctx, id, n)
}

func (s *countingStore) SaveIf(ctx context.Context, def *workflow.Definition, cond workflow.Condition) (workflow.Meta, error) {
	s.saves++
	return s.Store.SaveIf(ctx, def, cond)
}

// judging returns an app of which a list judges three of the workflows of says.
func judging(t *testing.T, s store.WorkflowStore) *App {
	a := newTestApp(t, Config{Store: s})
	a.verdicts.most = (&compiled{definition: says(t, "w0", "0")}).weight()*2 + 1
	return a
}

// judged asks for a list until everything in it is judged, and returns how often that was.
func judged(t *testing.T, ask func() ([]workflow.Meta, error)) (asked int) {
	t.Helper()
	for unchecked := true; unchecked; asked++ {
		metas, err := ask()
		require.NoError(t, err)
		unchecked = false
		for _, m := range metas {
			require.NotEqual(t, m.Unchecked, m.Valid)
			unchecked = unchecked || m.Unchecked
		}
	}
	return asked
}

// A list never judges everything at once, keeps what it found, and holds on to no plan.
func TestListsJudgeSome(t *testing.T) {
	s := &countingStore{Store: filestore.Open(t.TempDir())}
	for i := range 10 {
		_, err := s.Save(t.Context(), says(t, fmt.Sprint("w", i), "0"))
		require.NoError(t, err)
	}
	a := judging(t, s)
	list := func() ([]workflow.Meta, error) { return workflow.All(t.Context(), a.Workflows) }
	require.Equal(t, 4, judged(t, list))
	require.Equal(t, 10, s.loads)
	require.Equal(t, 1, judged(t, list))
	require.Equal(t, 10, s.loads, "what was found is kept")
	require.Zero(t, a.plans.ids.Len())
}

func TestRevisionsAreJudgedOnce(t *testing.T) {
	s := &countingStore{Store: filestore.Open(t.TempDir())}
	for i := range 7 {
		_, err := s.Save(t.Context(), says(t, "w0", fmt.Sprint(i)))
		require.NoError(t, err)
	}
	a := judging(t, s)
	list := func() ([]workflow.Meta, error) { return a.Revisions(t.Context(), "w0") }
	require.Equal(t, 3, judged(t, list))
	require.Equal(t, 7, s.loads)
	require.Equal(t, 1, judged(t, list))
	require.Equal(t, 7, s.loads, "what was found is kept")
}

// A draft is judged before it is stored, and not once more when it is listed.
func TestSavesAreJudgedFirst(t *testing.T) {
	s := &countingStore{Store: filestore.Open(t.TempDir())}
	a := newTestApp(t, Config{Store: s})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Save(ctx, says(t, "w", "hello"), workflow.Condition{})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, s.saves)
	meta, err := a.Save(t.Context(), says(t, "w", "hello"), workflow.Condition{})
	require.NoError(t, err)
	require.True(t, meta.Valid)
	_, err = workflow.All(t.Context(), a.Workflows)
	require.NoError(t, err)
	require.Zero(t, s.loads)
}

// However many stored workflows run, their plans stay within their bound.
func TestKeptPlansAreBounded(t *testing.T) {
	a := newTestApp(t, Config{Store: filestore.Open(t.TempDir())})
	for i := range 30 {
		def := says(t, fmt.Sprint("w", i), strings.Repeat("x", maxCachedText/4/10))
		_, err := a.Save(t.Context(), def, workflow.Condition{})
		require.NoError(t, err)
		_, err = a.plans.byID(t.Context(), a, def.ID)
		require.NoError(t, err)
		require.LessOrEqual(t, a.plans.ids.Bytes(), maxCachedText)
	}
	require.Less(t, a.plans.ids.Len(), 11)
	require.Positive(t, a.plans.ids.Len())
}
