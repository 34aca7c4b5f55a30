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

// List implements [store.WorkflowStore]. Pages are in the order of the names of files, as the id of
// a workflow is in its file, and cursors are such names. Of the files of the page it reads
// those that have changed since it has read them.
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
			continue // deleted since
		case err != nil:
			meta = damagedMeta(name, unreadable(name, err))
		}
		page.Items = append(page.Items, meta)
	}
	return page, ctx.Err()
}

// listed is how many entries of the directory are looked at in one go.
const listed = 1024

// behind returns the names of the first n files of workflows behind the one called last, in
// order. The directory may have very many, of which it keeps those only.
func (s *Store) behind(ctx context.Context, last string, n int) ([]string, error) {
	dir, err := os.Open(s.dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // nothing was saved yet
		}
		return nil, err
	}
	defer func() { _ = dir.Close() }() // only read from
	var names []string
	end := "" // no name behind it is one of the first n; empty until there are n
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

// inOrder compares names of files by what they tell of ids, and then by all they have, the
// hashes: a-…, a-b-…, b-…
func inOrder(a, b string) int {
	return cmp.Or(strings.Compare(slugIn(a), slugIn(b)), strings.Compare(a, b))
}

// slugIn returns what is in a name for people.
func slugIn(name string) string { return name[:max(0, len(name)-hashed)] }
