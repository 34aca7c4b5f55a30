package workflow

import (
	"errors"
	"slices"
)

// What those who keep workflows answer besides a workflow: stores, and services with
// stores behind them.
var (
	// ErrNotFound says that no workflow, or no such revision, is stored.
	ErrNotFound = errors.New("no such workflow")
	// ErrConflict says that a [Condition] does not hold. Nothing was changed.
	ErrConflict = errors.New("the stored workflow is not the expected one")
)

// Any in [Condition.Match] stands for whatever is stored.
const Any = "*"

// Condition is what has to be true of a stored workflow for a change to be made.
// The zero Condition always holds.
type Condition struct {
	// Match lists digests, one of which has to be that of the stored workflow,
	// as HTTP's If-Match has it; empty asks for nothing. A workflow that is not
	// there matches none, a damaged one [Any] only.
	Match []string
	// Absent asks that nothing is stored, as HTTP's If-None-Match: * has it.
	Absent bool
}

// Holds reports whether c is true of a workflow with this digest (see
// [Definition.Digest]; "" if it is damaged), or of none.
func (c Condition) Holds(stored bool, digest string) bool {
	if c.Absent && stored {
		return false
	}
	if len(c.Match) == 0 {
		return true
	}
	return stored && (slices.Contains(c.Match, Any) || digest != "" && slices.Contains(c.Match, digest))
}
