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

// Paged returns the page of metas that q asks for. It is for stores that have the
// descriptions of all workflows at hand, sorted by id; their cursors are ids. The error is
// [ErrInvalidCursor].
func Paged(metas []workflow.Meta, q workflow.Query) (workflow.Page, error) {
	from := 0
	if q.Cursor != "" {
		if err := CheckCursor(q.Cursor); err != nil {
			return workflow.Page{}, err
		}
		from, _ = slices.BinarySearchFunc(metas, q.Cursor, func(m workflow.Meta, last string) int {
			return cmp.Or(strings.Compare(m.ID, last), -1) // behind it
		})
	}
	page := workflow.Page{Items: metas[from:]}
	if size := q.Size(); size < len(page.Items) {
		page.Items = page.Items[:size:size]
		page.NextCursor = page.Items[size-1].ID
	}
	return page, nil
}

// CheckCursor says whether a cursor of a list of workflows, which is not empty, can be one
// where those are ids. The error is [ErrInvalidCursor].
func CheckCursor(cursor string) error {
	if workflow.CheckID(cursor) != nil {
		return fmt.Errorf("%w: %.40q", ErrInvalidCursor, cursor)
	}
	return nil
}

// Describe returns what a document itself says about a workflow, shortened where it is long:
// no revision, and no times. It is for those who write stores.
func Describe(def *workflow.Definition) workflow.Meta {
	return workflow.Meta{
		ID: def.ID, Name: value.Shorten(def.Name, limit.Message), Description: value.Shorten(def.Description, limit.Description), NodeCount: len(def.Nodes),
	}
}
