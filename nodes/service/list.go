package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strconv"

	"github.com/svcflow/svc/engine/node"
)

// MaxItems is how many items a node may request. Networks count each item.
const MaxItems = 500

// List makes a call page by page until it has limit items or there are no more. read makes
// the call for one page: its query asks for the number of items and the cursor. read
// returns the items, and the cursor of the next page, which is empty for the last. If any
// page fails, List fails, so that no list is incomplete without notice.
func List[T any](ctx context.Context, a *API, c Call, limit int, read func(Call) ([]T, string, error)) ([]T, error) {
	if limit < 1 || limit > MaxItems {
		return nil, node.Errorf(node.CodeInvalidInput, "limit is %d; give a number from 1 to %d", limit, MaxItems)
	}
	route, err := a.Route(c.Name)
	if err != nil {
		return nil, err
	}
	items, cursor := make([]T, 0, limit), ""
	seen := map[string]bool{}
	for len(items) < limit && !seen[cursor] {
		seen[cursor] = true
		page, next, err := read(c.at(route.Page, limit-len(items), cursor))
		if err != nil {
			return nil, after(len(items), err)
		}
		items = append(items, page[:min(len(page), limit-len(items))]...)
		if cursor = next; next == "" || len(page) == 0 {
			break
		}
		node.Progress(ctx, len(items), limit, "")
	}
	return items, nil
}

// at returns the call for n items of the page at cursor.
func (c Call) at(p Page, n int, cursor string) Call {
	query := url.Values{}
	maps.Copy(query, c.Query)
	if p.Size != "" {
		query.Set(p.Size, strconv.Itoa(min(max(n, p.Min), p.Max)))
	}
	if cursor != "" && p.Cursor != "" {
		query.Set(p.Cursor, cursor)
	}
	c.Query = query
	return c
}

// after adds to a failure how many items were read before.
func after(items int, err error) error {
	failed, ok := errors.AsType[*node.Error](err)
	if !ok || items == 0 {
		return err
	}
	more := *failed
	more.Message += fmt.Sprintf("; %d items had been read", items)
	return &more
}
