package workflow_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

func TestSizeOfAPage(t *testing.T) {
	for limit, want := range map[int]int{
		0: workflow.DefaultLimit, -1: workflow.DefaultLimit, 1: 1,
		workflow.MaxLimit: workflow.MaxLimit, workflow.MaxLimit + 1: workflow.MaxLimit,
	} {
		require.Equal(t, want, workflow.Query{Limit: limit}.Size(), limit)
	}
}

// All follows pages, in whatever order these come, and ends with the first error.
func TestAllPages(t *testing.T) {
	const pages = 5
	list := func(_ context.Context, q workflow.Query) (workflow.Page, error) {
		n, _ := strconv.Atoi(q.Cursor)
		page := workflow.Page{Items: []workflow.Meta{{ID: fmt.Sprint("b", pages-n)}, {ID: fmt.Sprint("a", n)}}}
		if n < pages-1 {
			page.NextCursor = strconv.Itoa(n + 1)
		}
		return page, nil
	}
	all, err := workflow.All(t.Context(), list)
	require.NoError(t, err)
	require.Len(t, all, 2*pages)
	for n := range pages {
		require.Equal(t, fmt.Sprint("a", n), all[n].ID)
		require.Equal(t, fmt.Sprint("b", n+1), all[pages+n].ID)
	}
	gone := errors.New("gone")
	_, err = workflow.All(t.Context(), func(ctx context.Context, q workflow.Query) (workflow.Page, error) {
		if q.Cursor == "3" {
			return workflow.Page{}, gone
		}
		return list(ctx, q)
	})
	require.ErrorIs(t, err, gone)
}
