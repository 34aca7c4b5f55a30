package workflow

import (
	"errors"
	"slices"
)

// Errors of stores, and of servers with stores.
var (
	// ErrNotFound means that the workflow or the revision does not exist.
	ErrNotFound = errors.New("no such workflow")
	// ErrConflict means that a [Condition] does not hold. Nothing was changed.
	ErrConflict = errors.New("the stored workflow is not the expected one")
)

// Any in [Condition.Match] matches every stored workflow.
const Any = "*"

// Condition is a precondition for changing a stored workflow. The zero Condition always
// holds.
type Condition struct {
	// Match lists digests, one of which must be that of the stored workflow, as in HTTP's
	// If-Match; empty means no precondition. A workflow that does not exist matches
	// nothing, and a damaged one only [Any].
	Match []string
	// Absent requires that no workflow is stored, as in HTTP's If-None-Match: *.
	Absent bool
}

// Holds reports whether c holds. digest is that of the stored workflow (see
// [Definition.Digest]), or "" if it is damaged.
func (c Condition) Holds(stored bool, digest string) bool {
	if c.Absent && stored {
		return false
	}
	if len(c.Match) == 0 {
		return true
	}
	return stored && (slices.Contains(c.Match, Any) || digest != "" && slices.Contains(c.Match, digest))
}
