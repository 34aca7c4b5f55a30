package expr

import (
	"errors"
	"fmt"

	"github.com/svcflow/svc/engine/value"
)

// The budgets of an evaluation, in bytes of text plus itemCost for every item and field.
// Shared parts count each time, as they would be printed.
const (
	maxBuilt   = 64 << 20  // built for one result
	maxResults = 256 << 20 // all results together
	itemCost   = 16
)

// limits are the budgets of one expression.
type limits struct{ built, results int }

var (
	errTooBig    = errors.New("too much data; make the expression build less, or the list shorter")
	errTooDeep   = fmt.Errorf("lists and records nest deeper than %d", value.MaxDepth)
	errNotFinite = errors.New("a number that is not finite; guard against division by zero")
)

// sizer is a budget.
type sizer struct{ left int }

func (s *sizer) take(n int) error {
	if s.left -= n; s.left < 0 {
		return errTooBig
	}
	return nil
}

// charge charges the cost of v, which may be any value in an expression.
func (s *sizer) charge(v any, depth int) error {
	if depth > value.MaxDepth {
		return errTooDeep
	}
	switch v := v.(type) {
	case string:
		return s.take(itemCost + len(v))
	case []any:
		for _, e := range v {
			if err := s.charge(e, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for k, e := range v {
			if err := errors.Join(s.take(len(k)), s.charge(e, depth+1)); err != nil {
				return err
			}
		}
	case []string:
		for _, e := range v {
			if err := s.take(itemCost + len(e)); err != nil {
				return err
			}
		}
	case []int:
		return s.take(itemCost * len(v))
	case map[any][]any: // result of groupBy
		for _, e := range v {
			if err := s.charge(e, depth+1); err != nil {
				return err
			}
		}
	}
	return s.take(itemCost)
}
