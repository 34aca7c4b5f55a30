package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// idsOf returns the ids on a page.
func idsOf(page workflow.Page) []string {
	ids := []string{}
	for i := range page.Items {
		ids = append(ids, page.Items[i].ID)
	}
	return ids
}

// pagesOf returns the ids on all pages of limit workflows each.
func pagesOf(t *testing.T, s store.WorkflowStore, limit int) (pages [][]string) {
	t.Helper()
	for q := (workflow.Query{Limit: limit}); ; {
		page, err := s.List(t.Context(), q)
		require.NoError(t, err)
		pages = append(pages, idsOf(page))
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			return pages
		}
		require.Len(t, page.Items, limit, "only the last page is shorter")
	}
}

func testWorkflowPages(t *testing.T, s store.WorkflowStore) {
	require.Equal(t, [][]string{{}}, pagesOf(t, s, 2), "nothing is a page, too")
	for _, id := range []string{"b", "a-b", "a", "c"} {
		save(t, s, id, "one")
	}
	require.Equal(t, [][]string{{"a", "a-b", "b"}, {"c"}}, pagesOf(t, s, 3))
	require.Equal(t, [][]string{{"a", "a-b"}, {"b", "c"}}, pagesOf(t, s, 2), "no empty page at the end")
	require.Equal(t, [][]string{{"a", "a-b", "b", "c"}}, pagesOf(t, s, 4))
	for _, cursor := range []string{"line\nbreak", "\x00", "\xff"} {
		_, err := s.List(t.Context(), workflow.Query{Cursor: cursor})
		require.ErrorIs(t, err, store.ErrInvalidCursor, "%q", cursor)
	}
}

// testPagesWhileTheyChange deletes and creates workflows between two pages. Workflows that exist
// all the time are listed exactly once.
func testPagesWhileTheyChange(t *testing.T, s store.WorkflowStore) {
	for _, id := range []string{"b", "c", "d", "e"} {
		save(t, s, id, "one")
	}
	first, err := s.List(t.Context(), workflow.Query{Limit: 2})
	require.NoError(t, err)
	require.Equal(t, []string{"b", "c"}, idsOf(first))
	require.NoError(t, s.Delete(t.Context(), "c"))
	require.NoError(t, s.Delete(t.Context(), "d"))
	save(t, s, "a", "before them")
	save(t, s, "f", "behind them")
	second, err := s.List(t.Context(), workflow.Query{Limit: 2, Cursor: first.NextCursor})
	require.NoError(t, err)
	require.Equal(t, []string{"e", "f"}, idsOf(second))
	require.Empty(t, second.NextCursor)
}

// testPageOfOddIDs lists pages of ids that a store may only be able to sort after reading the
// workflows.
func testPageOfOddIDs(t *testing.T, s store.WorkflowStore) {
	for _, id := range ids() {
		save(t, s, id, "one")
	}
	var told []string
	for _, page := range pagesOf(t, s, 3) {
		told = append(told, page...)
	}
	require.ElementsMatch(t, ids(), told)
}

func testSizesOfPages(t *testing.T, s store.WorkflowStore) {
	const most = 2 * workflow.DefaultLimit
	for n := range most + 1 {
		save(t, s, fmt.Sprintf("w%03d", n), "one")
	}
	for limit, want := range map[int]int{0: workflow.DefaultLimit, -1: workflow.DefaultLimit, 1: 1, most: most} {
		page, err := s.List(t.Context(), workflow.Query{Limit: limit})
		require.NoError(t, err)
		require.Len(t, page.Items, want, limit)
		require.NotEmpty(t, page.NextCursor)
	}
	all, err := workflow.All(t.Context(), s.List)
	require.NoError(t, err)
	require.Len(t, all, most+1)
	require.Equal(t, "w100", all[most].ID)
}
