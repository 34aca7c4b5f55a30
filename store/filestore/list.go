package filestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// List implements [store.WorkflowStore]. Pages are sorted by file name, which begins with the id,
// and cursors are file names. List reads only files of the page, and only those that have changed.
func (s *Store) List(ctx context.Context, q workflow.Query) (workflow.Page, error) {
	if q.Cursor != "" && !isDocument(q.Cursor) {
		return workflow.Page{}, fmt.Errorf("%w: %.40q", store.ErrInvalidCursor, q.Cursor)
	}
	size := q.Size()
	names, err := s.behind(ctx, q.Cursor, size+1)
	if err != nil {
		return workflow.Page{}, fmt.Errorf("list workflows: %w", err)
	}
	page := workflow.Page{Items: make([]workflow.Meta, 0, len(names))}
	if size < len(names) {
		names, page.NextCursor = names[:size], names[size-1]
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return workflow.Page{}, err
		}
		meta, err := s.meta(name)
		switch {
		case errors.Is(err, workflow.ErrNotFound):
			continue // deleted meanwhile
		case err != nil:
			meta = damagedMeta(name, unreadable(name, err))
		}
		page.Items = append(page.Items, meta)
	}
	return page, ctx.Err()
}

// listed is the number of directory entries read per call.
const listed = 1024

// behind returns the names of the first n workflow files after last, in order. The directory may be
// very large, so it holds no more names than it needs.
func (s *Store) behind(ctx context.Context, last string, n int) ([]string, error) {
	dir, err := os.Open(s.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // nothing was saved yet
		}
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read
	var names []string
	end := "" // the n-th name so far; empty while there are fewer
	for {
		entries, err := dir.ReadDir(listed)
		if errors.Is(err, io.EOF) {
			return names, ctx.Err()
		}
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return nil, err
		}
		for _, e := range entries {
			name := e.Name()
			if isVisible(e) && inOrder(last, name) < 0 && (end == "" || inOrder(name, end) < 0) {
				names = append(names, name)
			}
		}
		slices.SortFunc(names, inOrder)
		if len(names) >= n {
			names, end = names[:n], names[n-1]
		}
	}
}

// inOrder compares file names by the readable part and then as a whole, with the hash: a-…, a-b-…,
// b-…
func inOrder(a, b string) int {
	return cmp.Or(strings.Compare(slugIn(a), slugIn(b)), strings.Compare(a, b))
}

// slugIn returns the readable part of a name.
func slugIn(name string) string { return name[:max(0, len(name)-hashed)] }
