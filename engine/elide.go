package engine

import (
	"maps"
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

// Shown returns e as it is shown where outputs of nodes have to be short: one whose
// JSON is longer than elide bytes is replaced by {"$elided":{"bytes":n}}, as
// [Event.AppendJSON] would write it. What is not replaced is shared with e.
func (e Event) Shown(elide int) Event {
	var room []byte // for seeing how long outputs are
	e.Outputs, room = elidedOutputs(e.Outputs, elide, room)
	if e.Result != nil {
		result := *e.Result
		result.Nodes = make(map[string]NodeResult, len(e.Result.Nodes))
		for id, n := range e.Result.Nodes {
			n.Outputs, room = elidedOutputs(n.Outputs, elide, room)
			result.Nodes[id] = n
		}
		e.Result = &result
	}
	return e
}

func elidedOutputs(outputs map[string]any, elide int, room []byte) (shown map[string]any, used []byte) {
	copied := false
	shown = outputs
	for name, v := range outputs {
		text, whole := appendUpTo(room[:0], v, elide)
		if room = text; whole {
			continue
		}
		if !copied {
			shown, copied = maps.Clone(outputs), true
		}
		shown[name] = Elide(elidedBytes(v, elide))
	}
	return shown, room
}

// appendElided appends v, or about how long it is if that is more than elide: to
// print it only to count bytes would cost more than many a run, and so would to
// count what seems short enough to be printed.
func appendElided(dst []byte, v any, elide int, gauge *value.Gauge) []byte {
	if gone, ok := v.(letGo); ok {
		return AppendElided(dst, gone.bytes)
	}
	if elide == NoElision {
		return value.Append(dst, v)
	}
	about, exceeds, short := 0, false, value.SeemsShort(v, elide)
	if !short {
		about, exceeds = gauge.Measure(v, elide)
	}
	if !exceeds {
		if text, whole := value.AppendMax(dst, v, elide); whole {
			return text
		}
	}
	if short {
		about, _ = gauge.Measure(v, elide)
	}
	return AppendElided(dst, max(elide+1, about))
}

// AppendElided appends what stands for a value of that many bytes of JSON; see [Elide].
func AppendElided(dst []byte, bytes int) []byte {
	dst = append(dst, `{"`+elidedKey+`":{"bytes":`...)
	dst = strconv.AppendInt(dst, int64(bytes), 10)
	return append(dst, `}}`...)
}

// appendUpTo appends v if that is not longer than elide, and reports whether it did.
func appendUpTo(dst []byte, v any, elide int) (text []byte, whole bool) {
	_, gone := v.(letGo)
	switch {
	case gone:
		return dst, false
	case elide == NoElision:
		return value.Append(dst, v), true
	case !value.SeemsShort(v, elide) && value.Exceeds(v, elide):
		return dst, false
	}
	return value.AppendMax(dst, v, elide)
}

// elidedBytes is about how long v is, which is longer than elide.
func elidedBytes(v any, elide int) int {
	if gone, ok := v.(letGo); ok {
		return gone.bytes
	}
	return max(elide+1, value.Size(v, value.MaxSize))
}

// kept returns v, or what stands for it if it was let go.
func kept(v any) any {
	if gone, ok := v.(letGo); ok {
		return Elide(gone.bytes)
	}
	return v
}
