package app

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/memstore"
)

// TestPlansFollowTheStore changes a stored workflow, and one that it calls, in
// every way there is. Each run has to see the latest state, whatever was kept.
func TestPlansFollowTheStore(t *testing.T) {
	dir := t.TempDir()
	kept := filestore.Open(dir)
	for name, c := range map[string]stores{
		"a versioned store":            {kept, kept},
		"a directory that others use":  {filestore.Open(dir), filestore.Open(dir)},
		"a store without any versions": sameStore(&fourOperations{&memstore.Workflows{}}),
	} {
		t.Run(name, func(t *testing.T) {
			a := newTestApp(t, Config{Store: c.app})
			outer := calls(t, "outer", "inner")
			expect := func(want string) {
				t.Helper()
				for range 2 {
					ended, err := a.ExecuteStored(t.Context(), "inner", run.Request{})
					require.Equal(t, want, said(t, ended, err))
					ended, err = a.ExecuteStored(t.Context(), "outer", run.Request{})
					require.Equal(t, want, said(t, ended, err))
					ended, err = a.ExecuteJSON(t.Context(), outer.Format(), run.Request{})
					require.Equal(t, want, said(t, ended, err))
				}
			}
			for _, s := range []string{"one", "two"} {
				_, err := a.Save(t.Context(), says(t, "inner", s), workflow.Condition{})
				require.NoError(t, err)
				_, err = a.Save(t.Context(), outer, workflow.Condition{})
				require.NoError(t, err)
				expect(s)
				_, err = c.behind.Save(t.Context(), says(t, "inner", s+", changed"))
				require.NoError(t, err)
				expect(s + ", changed")
			}
			_, err := c.behind.Save(t.Context(), says(t, "outer", "calls nobody"))
			require.NoError(t, err)
			ended, err := a.ExecuteStored(t.Context(), "outer", run.Request{})
			require.Equal(t, "calls nobody", said(t, ended, err))

			require.NoError(t, c.behind.Delete(t.Context(), "inner"))
			_, err = a.ExecuteStored(t.Context(), "inner", run.Request{})
			require.ErrorIs(t, err, workflow.ErrNotFound)
			_, err = a.ExecuteJSON(t.Context(), outer.Format(), run.Request{})
			require.Equal(t, []string{engine.CodeUnknownWorkflow}, codes(t, err))

			_, err = c.behind.Save(t.Context(), says(t, "inner", "back"))
			require.NoError(t, err)
			ended, err = a.ExecuteJSON(t.Context(), outer.Format(), run.Request{})
			require.Equal(t, "back", said(t, ended, err))
		})
	}
}

// stores are the one that an App has, and one that changes what it holds behind
// the App's back.
type stores struct{ app, behind store.WorkflowStore }

func sameStore(s store.WorkflowStore) stores { return stores{s, s} }

func TestPlansAreKept(t *testing.T) {
	s := &counting{Store: filestore.Open(t.TempDir())}
	a := newTestApp(t, Config{Store: s})
	outer := calls(t, "outer", "inner")
	_, err := s.Save(t.Context(), says(t, "inner", "hello"))
	require.NoError(t, err)
	_, err = s.Save(t.Context(), outer)
	require.NoError(t, err)
	for name, execute := range map[string]func() (Outcome, error){
		"by id":   func() (Outcome, error) { return a.ExecuteStored(t.Context(), "outer", run.Request{}) },
		"by text": func() (Outcome, error) { return a.ExecuteJSON(t.Context(), outer.Format(), run.Request{}) },
	} {
		ended, err := execute()
		require.Equal(t, "hello", said(t, ended, err))
		before := s.loads
		require.NotZero(t, before)
		for range 3 {
			ended, err := execute()
			require.Equal(t, "hello", said(t, ended, err))
		}
		require.Equal(t, before, s.loads, "%s: nothing was loaded again", name)
	}
}

// However many texts are posted, those that are kept stay within their bound.
func TestKeptTextsAreBounded(t *testing.T) {
	a := newTestApp(t, Config{Limits: &workflow.Limits{}})
	padding := make([]byte, maxCachedText/20)
	for i := range padding {
		padding[i] = ' '
	}
	for i := range 50 {
		text := append([]byte(fmt.Sprintf(`{"id":"w%d","nodes":[],"connections":[]}`, i)), padding...)
		_, err := a.ExecuteJSON(t.Context(), text, run.Request{})
		require.NoError(t, err)
		require.LessOrEqual(t, a.plans.texts.Bytes(), maxCachedText)
	}
	require.Less(t, a.plans.texts.Len(), 20)
	require.Positive(t, a.plans.texts.Len())

	huge := append([]byte(`{"id":"huge","nodes":[],"connections":[]}`), padding...)
	for range 5 {
		huge = append(huge, padding...)
	}
	before := a.plans.texts.Len()
	_, err := a.ExecuteJSON(t.Context(), huge, run.Request{})
	require.NoError(t, err)
	require.Equal(t, before, a.plans.texts.Len(), "one text that is too big drives out no others")
}

func TestPlansUnderConcurrentChange(t *testing.T) {
	s := filestore.Open(t.TempDir())
	a := newTestApp(t, Config{Store: s})
	_, err := s.Save(t.Context(), says(t, "inner", "0"))
	require.NoError(t, err)
	_, err = s.Save(t.Context(), calls(t, "outer", "inner"))
	require.NoError(t, err)
	var group sync.WaitGroup
	defer group.Wait()
	for range 4 {
		group.Go(func() {
			for range 100 {
				ended, err := a.ExecuteStored(t.Context(), "outer", run.Request{})
				if err != nil || ended.Status() != engine.StatusCompleted {
					t.Errorf("run: %v, %v", ended, err)
				}
			}
		})
	}
	for i := range 30 {
		want := fmt.Sprint(i)
		_, err := s.Save(t.Context(), says(t, "inner", want))
		require.NoError(t, err)
		ended, err := a.ExecuteStored(t.Context(), "outer", run.Request{})
		require.Equal(t, want, said(t, ended, err), "a save that was acknowledged counts for every later run")
	}
}

// loads counts how often workflows are read.
type loads struct {
	*filestore.Store

	n int
}

func (l *loads) Load(ctx context.Context, id string) (*workflow.Definition, error) {
	l.n++
	return l.Store.Load(ctx, id)
}

// A workflow that was checked while saving is not compiled again to run.
func TestSavedAndRunIsCompiledOnce(t *testing.T) {
	kept := &loads{Store: filestore.Open(t.TempDir())}
	a := newTestApp(t, Config{Store: kept})
	meta, err := a.Save(t.Context(), says(t, "w", "one"), workflow.Condition{})
	require.NoError(t, err)
	require.True(t, meta.Valid)
	ended, err := a.ExecuteStored(t.Context(), "w", run.Request{})
	require.Equal(t, "one", said(t, ended, err))
	metas, err := workflow.All(t.Context(), a.Workflows)
	require.NoError(t, err)
	require.True(t, metas[0].Valid)
	require.Equal(t, 1, kept.n)
}

// However many workflows come and go, what is remembered of them has a bound.
func TestVerdictsAreBounded(t *testing.T) {
	c := newVerdicts()
	for i := range 2 * maxVerdicts {
		c.put(fmt.Sprint(i), verdict{revision: i})
	}
	require.Equal(t, maxVerdicts, c.byID.Len())
	_, ok := c.get("0")
	require.False(t, ok)
	v, ok := c.get(fmt.Sprint(2*maxVerdicts - 1))
	require.True(t, ok)
	require.Equal(t, 2*maxVerdicts-1, v.revision)
}

// Runs that were started with the same share a plan, whatever is stored now.
func TestRecordedRunsShareTheirPlan(t *testing.T) {
	a := newTestApp(t, Config{})
	start := func(said string) *run.Start {
		return &run.Start{
			Definition: calls(t, "outer", "inner"), Workflows: map[string]*workflow.Definition{"inner": says(t, "inner", said)},
		}
	}
	first, err := a.compileRecorded(t.Context(), start("one"))
	require.NoError(t, err)
	again, err := a.compileRecorded(t.Context(), start("one"))
	require.NoError(t, err)
	require.Same(t, first, again)
	other, err := a.compileRecorded(t.Context(), start("two"))
	require.NoError(t, err)
	require.NotSame(t, first, other, "it calls another workflow")
	_, err = a.compileRecorded(t.Context(), &run.Start{Definition: calls(t, "outer", "inner")})
	require.Equal(t, []string{engine.CodeUnknownWorkflow}, codes(t, err))
}
