package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxItems bounds the list that a node makes out of nothing, or out of records
// that it makes.
const maxItems = 1_000_000

// bounded refuses a value that is too big. Nodes that combine values call it.
func bounded(v any) error {
	if err := value.Bound(v); err != nil {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w; work on shorter lists", err))
	}
	return nil
}

// claim reserves the run's memory for a list of n items, which share their content with
// others.
func claim(ctx context.Context, n int) error { return node.Hold(ctx, value.ListWeight(n)) }

// records returns the memory of a list of n new records.
func records(n int) int { return value.ListWeight(n) + n*value.RecordWeight(1) }

// countable refuses to make n records, what for says what they are.
func countable(n int, what string) error {
	if n > maxItems {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%d %s; a list made here may have %d", n, what, maxItems))
	}
	return nil
}
