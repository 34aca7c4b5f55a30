package jsonnode

import (
	"math/bits"
	"slices"
	"strings"
)

// A part of a string or list keeps the memory of the whole alive, which [scale] does not
// see. So a part is copied if its size has fewer bits than that of the whole. Then a part
// keeps less than twice its size alive, however often it is cut, and removing items one by
// one still takes linear time.

// apart returns a copy of part, or part itself if its size is close to that of the whole.
// It also returns the number of bytes copied.
func apart(whole int, part any) (any, int) {
	switch x := part.(type) {
	case string:
		if smaller(len(x), whole) {
			return strings.Clone(x), len(x)
		}
	case []any:
		if smaller(len(x), whole) {
			return append(make([]any, 0, len(x)), x...), slotBytes * len(x)
		}
	}
	return part, 0
}

func smaller(part, whole int) bool { return bits.Len(uint(part)) < bits.Len(uint(whole)) }

// always is a size of the whole for which every part is copied.
const always = 1 << 62

// ownParts copies the results of functions of the class cuts if needed, see [apart]. It
// returns the number of bytes copied.
func ownParts(name string, v any, args []any, made any) (any, int) {
	switch name {
	case "_index":
		if _, slice := args[1].(map[string]any); slice {
			return apart(length(args[0]), made)
		}
	case "_slice":
		return apart(length(args[0]), made)
	case "getpath":
		if cutsOnTheWay(args[0]) {
			return apart(always, made)
		}
	case "split":
		return made, apartEach(length(v), made)
	case "_divide":
		return made, apartEach(length(args[0]), made)
	default:
		return apart(length(v), made)
	}
	return made, 0
}

// cutsOnTheWay reports whether a path has a slice.
func cutsOnTheWay(path any) bool {
	steps, _ := path.([]any)
	return slices.ContainsFunc(steps, func(step any) bool {
		_, slice := step.(map[string]any)
		return slice
	})
}

// apartEach applies apart to the texts in a new list.
func apartEach(whole int, list any) (bytes int) {
	items, _ := list.([]any)
	for i, item := range items {
		own, took := apart(whole, item)
		items[i] = own
		bytes += took
	}
	return bytes
}

// apartMatches applies apart to the texts in gojq's matches of a regular expression.
func apartMatches(whole int, found []any) (bytes int) {
	for _, one := range found {
		match, _ := one.(map[string]any)
		own, took := apart(whole, match["string"])
		if took > 0 {
			match["string"] = own
		}
		captures, _ := match["captures"].([]any)
		bytes += took + apartMatches(whole, captures)
	}
	return bytes
}
