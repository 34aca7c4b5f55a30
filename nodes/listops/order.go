package listops

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/expr"
)

// order compares any two values. It is the order of jq:
//
//   - null, false, true, numbers, text, lists, records
//   - numbers by what they are, whether int or float
//   - text by code point, whatever the language
//   - lists by their first items that differ, else the shorter one first
//   - records by their sorted field names, compared as lists, else by the values
//     of the fields in that order
//
// A credential stands where its reference would as text, and media where their
// record would. Exactly those values that have the same key (see [keys]) compare
// as equal.
type order struct {
	meter *expr.Meter
	err   error // of the context; from then on all values are equal
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

// rank orders values of different kinds. The bools, which have nothing but their
// rank, have one each.
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
