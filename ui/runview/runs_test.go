package runview_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/runview"
	"github.com/svcflow/svc/ui/theme"
	"github.com/svcflow/svc/ui/uitest"
)

// history keeps runs as a server does, and answers after a while.
type history struct {
	records []run.Record // newest first
	queries []run.Query
	done    []string
	fail    error

	turn sync.Mutex // hands over from the test to the answer
	back *uitest.Queue
}

const answerTime = 50 * time.Millisecond

// wait takes as long as an answer does.
func (h *history) wait(ctx context.Context) error {
	select {
	case <-time.After(answerTime):
		h.turn.Lock()
		defer h.turn.Unlock()
		return h.fail
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (h *history) Runs(ctx context.Context, q run.Query) (run.Page, error) {
	if err := h.wait(ctx); err != nil {
		return run.Page{}, err
	}
	h.queries = append(h.queries, q)
	from := 0
	if q.Cursor != "" {
		from = slices.IndexFunc(h.records, func(r run.Record) bool { return r.RunID == q.Cursor })
	}
	const size = 20
	to := min(from+size, len(h.records))
	page := run.Page{Items: slices.Clone(h.records[from:to])}
	if to < len(h.records) {
		page.NextCursor = h.records[to].RunID
	}
	return page, nil
}

func (h *history) Run(ctx context.Context, id string) (run.Record, error) {
	return run.Record{RunID: id, Result: &engine.Result{RunID: id}}, h.do(ctx, "open "+id)
}

func (h *history) Resume(ctx context.Context, id string, _ run.Resumption) (string, error) {
	return id + "-again", h.do(ctx, "resume "+id)
}

func (h *history) Cancel(ctx context.Context, id string) error { return h.do(ctx, "cancel "+id) }

func (h *history) do(ctx context.Context, what string) error {
	err := h.wait(ctx)
	if err == nil {
		h.done = append(h.done, what)
	}
	return err
}

// past makes n runs, one a minute; those in running are in progress.
func past(n int, running ...int) *history {
	h := &history{}
	for i := range n {
		r := run.Record{RunID: fmt.Sprint("r", i), WorkflowID: fmt.Sprint("w", i), Status: engine.StatusFailed, StartedAt: time.Now().Add(-time.Duration(i) * time.Minute)}
		r.FinishedAt = r.StartedAt.Add(342 * time.Millisecond)
		if slices.Contains(running, i) {
			r.Status, r.FinishedAt = engine.StatusRunning, time.Time{}
		}
		h.records = append(h.records, r)
	}
	return h
}

func listed(t *testing.T, h *history) (*runview.Runs, fyne.Window) {
	t.Helper()
	test.NewTempApp(t)
	jobs, back := uitest.Jobs(t)
	h.back = back
	r := runview.NewRuns(h, jobs)
	w := show(t, theme.Dark, r.Object(), 850, 180)
	return r, w
}

// answered lets the history answer.
func (h *history) answered() {
	h.turn.Lock()
	h.turn.Unlock()            //nolint:staticcheck // all that the test has done is before the answer
	time.Sleep(2 * answerTime) //nolint:forbidigo // a bubble's own time
	h.back.Settle()
}

func TestRunsAreLoadedPageByPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := past(50)
		r, w := listed(t, h)
		r.SetWorkflow("fans")
		require.Contains(t, texts(w), "Loading …")
		h.answered()
		require.Equal(t, 20, uitest.First[*kit.LongList](t, w.Content()).Length())
		require.Equal(t, "fans", h.queries[0].WorkflowID)
		require.Contains(t, texts(w), "w0")
		require.Len(t, h.queries, 1, "the end has not come near")
		for _, want := range []int{40, 50, 50} {
			uitest.First[*kit.LongList](t, w.Content()).ScrollToBottom()
			h.answered()
			require.Equal(t, want, uitest.First[*kit.LongList](t, w.Content()).Length())
		}
		require.Len(t, h.queries, 3, "nothing is asked for behind the end")
		press(t, w, "All workflows")
		h.answered()
		require.Empty(t, h.queries[3].WorkflowID)
		require.Equal(t, 20, uitest.First[*kit.LongList](t, w.Content()).Length())
	})
}

func TestRunsThatGoOnComeFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := past(10, 4)
		r, w := listed(t, h)
		r.Reload()
		h.answered()
		require.Equal(t, "w4", texts(w)[firstRow(texts(w))])
		require.Contains(t, texts(w), "4 min", "how long it has been going on")
		h.records[4].Status, h.records[4].FinishedAt = engine.StatusCompleted, time.Now()
		r.Update()
		h.answered()
		require.Len(t, h.queries, 1, "nobody asks that often")
		time.Sleep(3 * time.Second) //nolint:forbidigo // a bubble's own time
		r.Update()
		h.answered()
		require.Len(t, h.queries, 2)
		require.Equal(t, "w0", texts(w)[firstRow(texts(w))], "it has ended")
		time.Sleep(time.Hour) //nolint:forbidigo // a bubble's own time
		r.Update()
		h.answered()
		require.Len(t, h.queries, 2, "there is nothing to wait for")
	})
}

// firstRow returns where the first id of a workflow is.
func firstRow(texts []string) int {
	return slices.IndexFunc(texts, func(s string) bool { return strings.HasPrefix(s, "w") && len(s) == 2 })
}

func TestTheActionsOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := past(3, 0)
		r, w := listed(t, h)
		var opened, resumed, copied string
		r.OnOpen = func(e run.Record) { opened = e.Result.RunID }
		r.OnResumed = func(id string) { resumed = id }
		r.Copy = func(text string) { copied = text }
		r.Reload()
		h.answered()
		uitest.First[*kit.LongList](t, w.Content()).Select(0)
		press(t, w, "Cancel run")
		h.answered()
		uitest.First[*kit.LongList](t, w.Content()).Select(1)
		for _, name := range []string{"Show on canvas", "Resume", "Copy run id"} {
			press(t, w, name)
			h.answered()
		}
		require.Equal(t, []string{"cancel r0", "open r1", "resume r1"}, h.done)
		require.Equal(t, []string{"r1", "r1-again", "r1"}, []string{opened, resumed, copied})
		h.fail = errors.New("the run has ended already")
		press(t, w, "Resume")
		h.answered()
		require.Contains(t, texts(w), "the run has ended already")
	})
}

func TestNoRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := past(0)
		r, w := listed(t, h)
		r.Update()
		h.answered()
		require.Contains(t, texts(w), "No runs yet. Runs that you start are listed here.")
	})
}

func TestErrorsOfTheHistoryAreShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := past(3)
		h.fail = errors.New("the server is away")
		r, w := listed(t, h)
		r.Reload()
		h.answered()
		require.Contains(t, texts(w), "the server is away")
		h.fail = nil
		press(t, w, "Try again")
		h.answered()
		require.NotContains(t, texts(w), "the server is away")
		require.Equal(t, 3, uitest.First[*kit.LongList](t, w.Content()).Length())
	})
}
