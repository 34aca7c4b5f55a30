package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Paged returns the page of metas that q asks for. It helps stores that have the descriptions of
// all workflows in memory, sorted by id; cursors are ids. It may return [ErrInvalidCursor].
func Paged(metas []workflow.Meta, q workflow.Query) (workflow.Page, error) {
	from := 0
	if q.Cursor != "" {
		if err := CheckCursor(q.Cursor); err != nil {
			return workflow.Page{}, err
		}
		from, _ = slices.BinarySearchFunc(metas, q.Cursor, func(m workflow.Meta, last string) int {
			return cmp.Or(strings.Compare(m.ID, last), -1) // after the last one
		})
	}
	page := workflow.Page{Items: metas[from:]}
	if size := q.Size(); size < len(page.Items) {
		page.Items = page.Items[:size:size]
		page.NextCursor = page.Items[size-1].ID
	}
	return page, nil
}

// CheckCursor returns [ErrInvalidCursor] if a non-empty cursor cannot be a workflow id. It is for
// stores whose cursors are ids.
func CheckCursor(cursor string) error {
	if workflow.CheckID(cursor) != nil {
		return fmt.Errorf("%w: %.40q", ErrInvalidCursor, cursor)
	}
	return nil
}

// Describe returns the description of a workflow as far as its document says it, with long texts
// shortened, but without revision and times. It is for implementations of stores.
func Describe(def *workflow.Definition) workflow.Meta {
	return workflow.Meta{
		ID: def.ID, Name: value.Shorten(def.Name, limit.Message), Description: value.Shorten(def.Description, limit.Description), NodeCount: len(def.Nodes),
	}
}
