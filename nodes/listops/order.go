package listops

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/expr"
)

// order compares any two values, in the order of jq:
//
//   - null, false, true, numbers, texts, lists, records
//   - numbers by value, whether int or float
//   - texts by code point, independent of a language
//   - lists by the first items that differ; if one list is the beginning of the other, the
//     shorter one is first
//   - records by their sorted field names, compared as lists, then by the values of the
//     fields in that order
//
// A credential is compared as its reference, and media as their record. Values compare as
// equal exactly if they have the same key (see [keys]).
type order struct {
	meter *expr.Meter
	err   error // of the context; once set, all values compare as equal
}

func (o *order) compare(a, b any) int {
	if o.err != nil {
		return 0
	}
	if o.err = o.meter.Tick(); o.err != nil {
		return 0
	}
	a, b = expr.Plain(a), expr.Plain(b)
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	switch a := a.(type) {
	case int, float64:
		return compareNumbers(a, b)
	case string:
		return strings.Compare(a, b.(string))
	case []any:
		return o.compareLists(a, b.([]any))
	case map[string]any:
		return o.compareRecords(a, b.(map[string]any))
	}
	return 0
}

// rank returns the position of a value's kind in the order. false and true have different
// ranks, so they need no further comparison.
func rank(v any) int {
	switch v := v.(type) {
	case bool:
		if !v {
			return 1
		}
		return 2
	case int, float64:
		return 3
	case string:
		return 4
	case []any:
		return 5
	case map[string]any:
		return 6
	}
	return 0
}

func (o *order) compareLists(a, b []any) int {
	for i := range min(len(a), len(b)) {
		if c := o.compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

func (o *order) compareRecords(a, b map[string]any) int {
	names := slices.Sorted(maps.Keys(a))
	if c := slices.Compare(names, slices.Sorted(maps.Keys(b))); c != 0 {
		return c
	}
	for _, name := range names {
		if c := o.compare(a[name], b[name]); c != 0 {
			return c
		}
	}
	return 0
}
