package workflow

import (
	"context"
	"slices"
	"strings"
)

// Query asks for a page of the workflows that are stored. Pages come in an order that stays,
// so that none is told twice or left out while others come and go. The zero Query asks for
// the first page.
type Query struct {
	Limit  int    // of one page; 0 means DefaultLimit, more than MaxLimit means that
	Cursor string // NextCursor of the page before; empty for the first one
}

// How many workflows one page has by default, and at most.
const (
	DefaultLimit = 50
	MaxLimit     = 10_000
)

// Size returns how many workflows the page has at most.
func (q Query) Size() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// Page is a page of the workflows that are stored. One that is not the last may have fewer
// than were asked for, if some were deleted meanwhile.
type Page struct {
	Items      []Meta
	NextCursor string // empty on the last page
}

// All asks list for one page after the other and returns all workflows, sorted by id. It
// returns the first error of list.
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
