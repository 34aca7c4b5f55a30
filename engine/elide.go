package engine

import (
	"strconv"

	"github.com/svcflow/svc/engine/value"
)

// NoElision is the largest size of an output that shows every output whole.
const NoElision = -1

// elidedKey is the only field of what stands for a value that was too large to be shown.
const elidedKey = "$elided"

// Elide returns what stands for a value of that many bytes of JSON:
// {"$elided":{"bytes":n}}.
func Elide(bytes int) any {
	return map[string]any{elidedKey: map[string]any{"bytes": bytes}}
}

// Elided reports whether v stands for a value that was too large to be shown, and how
// many bytes of JSON that has.
func Elided(v any) (bytes int, ok bool) {
	stand, _ := v.(map[string]any)
	if len(stand) != 1 {
		return 0, false
	}
	about, _ := stand[elidedKey].(map[string]any)
	switch n := about["bytes"].(type) {
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}

// appendElided appends v, or about how long it is if that is more than elide: to
// print it only to count bytes would cost more than many a run.
func appendElided(dst []byte, v any, elide int) []byte {
	if elide == NoElision {
		return value.Append(dst, v)
	}
	if !value.Exceeds(v, elide) {
		var ok bool
		if dst, ok = value.AppendMax(dst, v, elide); ok {
			return dst
		}
	}
	dst = append(dst, `{"`+elidedKey+`":{"bytes":`...)
	dst = strconv.AppendInt(dst, int64(max(elide+1, value.Size(v, value.MaxSize))), 10)
	return append(dst, `}}`...)
}
