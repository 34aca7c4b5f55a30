package control

import (
	"math"

	"github.com/svcflow/svc/engine/value"
)

// equal reports whether a, a literal of the workflow, equals the value b. An int equals the
// float of the same number, and a credential or media equals its JSON form. The effort is
// bounded by the size of a.
func equal(a, b any) bool {
	switch a := a.(type) {
	case int:
		if f, ok := b.(float64); ok {
			return equalNumbers(a, f)
		}
	case float64:
		if i, ok := b.(int); ok {
			return equalNumbers(i, a)
		}
	case string:
		if c, ok := b.(value.Credential); ok {
			return a == string(c)
		}
	case []any:
		b, ok := b.([]any)
		return ok && equalLists(a, b)
	case map[string]any:
		if m, ok := b.(value.Media); ok {
			c, err := value.Conform(a, value.MediaType())
			return err == nil && c == any(m)
		}
		b, ok := b.(map[string]any)
		return ok && equalRecords(a, b)
	}
	return a == b // a can be compared: lists and records have returned
}

// equalNumbers compares without rounding: the largest ints have no float of
// their own.
func equalNumbers(i int, f float64) bool {
	return f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64 && int(f) == i
}

func equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalRecords(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		w, ok := b[name]
		if !ok || !equal(v, w) {
			return false
		}
	}
	return true
}
