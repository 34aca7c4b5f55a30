package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxItems is the longest list that a node may generate, or fill with new records.
const maxItems = 1_000_000

// bounded refuses a value that is too large. Nodes that combine values call it.
func bounded(v any) error {
	if err := value.Bound(v); err != nil {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w; work on shorter lists", err))
	}
	return nil
}

// claim reserves memory of the run for a list of n items that share their content with
// other values.
func claim(ctx context.Context, n int) error { return node.Hold(ctx, value.ListWeight(n)) }

// records returns the memory of a list of n new records.
func records(n int) int { return value.ListWeight(n) + n*value.RecordWeight(1) }

// countable refuses to generate more than maxItems records. what names them in the error.
func countable(n int, what string) error {
	if n > maxItems {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%d %s; a list made here may have %d", n, what, maxItems))
	}
	return nil
}
