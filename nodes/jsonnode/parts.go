package jsonnode

import (
	"math/bits"
	"slices"
	"strings"
)

// A slice of a text or a list keeps the whole memory that it was cut from alive, which
// [scale] does not see. So a part is copied if its size is of another power of two. Then no
// part keeps more than twice its size alive, after any number of cuts, and cutting off one
// item after the other still takes linear time.

// apart returns a copy of part, or part itself if it is about as big as whole, and the
// number of bytes copied.
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

// always is as long a whole that every part of it is copied.
const always = 1 << 62

// ownParts gives what a function of the class cuts returned memory of its own, and returns
// how many bytes that took.
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

// cutsOnTheWay reports whether a path may lead to a part of a list or a text.
func cutsOnTheWay(path any) bool {
	steps, _ := path.([]any)
	return slices.ContainsFunc(steps, func(step any) bool {
		_, slice := step.(map[string]any)
		return slice
	})
}

// apartEach is apart for the texts in a list that was just made.
func apartEach(whole int, list any) (bytes int) {
	items, _ := list.([]any)
	for i, item := range items {
		own, took := apart(whole, item)
		items[i] = own
		bytes += took
	}
	return bytes
}

// apartMatches is apart for the texts in what gojq found with a regular expression.
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
