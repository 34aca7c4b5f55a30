package workflow

import (
	"context"
	"slices"
	"strings"
)

// Query asks for a page of the stored workflows. The order of pages is stable, so that no
// workflow is repeated or left out while others are added or deleted. The zero Query asks
// for the first page.
type Query struct {
	Limit  int    // of one page; 0 means DefaultLimit, more than MaxLimit means that
	Cursor string // NextCursor of the page before; empty for the first one
}

// The default and the maximum number of workflows on a page.
const (
	DefaultLimit = 50
	MaxLimit     = 10_000
)

// Size returns the maximum number of workflows on the page.
func (q Query) Size() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// Page is a page of the stored workflows. Pages before the last may be shorter than
// requested if workflows were deleted meanwhile.
type Page struct {
	Items      []Meta
	NextCursor string // empty on the last page
}

// All calls list for all pages and returns all workflows, sorted by id, or the first error
// of list.
func All(ctx context.Context, list func(context.Context, Query) (Page, error)) ([]Meta, error) {
	all := []Meta{}
	for q := (Query{Limit: MaxLimit}); ; {
		page, err := list(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			slices.SortStableFunc(all, byID)
			return all, nil
		}
	}
}

func byID(a, b Meta) int { return strings.Compare(a.ID, b.ID) }
