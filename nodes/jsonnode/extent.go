package jsonnode

import (
	"encoding/json"
	"math/big"
)

// maxNesting is the deepest value that functions of gojq may walk. Most of them are
// recursive.
const maxNesting = 10_000

// bytesPerLook is how many bytes of text are compared or copied in the time of one look.
const bytesPerLook = 64

// extent measures the parts of values that a function visits. A part that is shared counts
// each time, as gojq visits it each time.
type extent struct {
	parts int
	bytes int // memory of copies of the lists and records
	text  int // bytes as JSON, if quoted
	// quoted is set to measure text, too.
	quoted bool
}

// deep reports whether to stop: at a part that is nested too deep, or after too many parts.
func (e *extent) deep(depth int) bool {
	if depth > maxNesting {
		e.parts = maxLook + 1
	}
	return e.parts > maxLook
}

// all adds v with all its parts.
func (e *extent) all(v any, depth int) {
	if e.parts++; e.deep(depth) {
		return
	}
	const number = 24
	switch x := v.(type) {
	case string:
		e.string(x)
	case []any:
		e.bytes += listBytes + slotBytes*len(x)
		e.text += len(x) + 2
		for _, item := range x {
			if e.all(item, depth+1); e.parts > maxLook {
				return
			}
		}
	case map[string]any:
		e.bytes += recordBytes(len(x))
		e.text += 4*len(x) + 2
		for k, field := range x {
			e.string(k)
			if e.all(field, depth+1); e.parts > maxLook {
				return
			}
		}
	case json.Number:
		e.parts += len(x)
		e.text += len(x)
	case *big.Int:
		e.parts += x.BitLen()
		e.text += x.BitLen()
	default:
		e.text += number
	}
}

func (e *extent) string(s string) {
	e.parts += len(s) / bytesPerLook
	if !e.quoted {
		return
	}
	const escape = 5 // bytes by which \u0000 is longer than the character
	e.text += len(s) + 2
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			e.text += escape
		}
	}
}

// both adds the parts that comparing l and r visits.
func (e *extent) both(l, r any, depth int) {
	if e.parts++; e.deep(depth) {
		return
	}
	switch x := l.(type) {
	case []any:
		y, _ := r.([]any)
		for i := range min(len(x), len(y)) {
			if e.both(x[i], y[i], depth+1); e.parts > maxLook {
				return
			}
		}
	case map[string]any:
		y, ok := r.(map[string]any)
		if !ok {
			return
		}
		if e.parts += len(x) + len(y); len(x) != len(y) {
			return
		}
		for k, field := range x {
			if e.both(field, y[k], depth+1); e.parts > maxLook {
				return
			}
		}
	case json.Number, *big.Int:
		e.all(l, depth)
		e.all(r, depth)
	case string:
		y, _ := r.(string)
		e.parts += min(len(x), len(y)) / bytesPerLook
	default:
		if n, ok := r.(json.Number); ok {
			e.parts += len(n)
		}
	}
}

// within adds the parts that searching r in l visits.
func (e *extent) within(l, r any, depth int) {
	if e.parts++; e.deep(depth) {
		return
	}
	switch x := l.(type) {
	case []any:
		if y, ok := r.([]any); ok {
			e.parts += product(size(x), size(y))
		}
	case map[string]any:
		y, _ := r.(map[string]any)
		for k, field := range y {
			if e.within(x[k], field, depth+1); e.parts > maxLook {
				return
			}
		}
	}
}

// size returns the number of parts of v.
func size(v any) int {
	var e extent
	e.all(v, 0)
	return e.parts
}

// product multiplies with saturation, so that it cannot overflow.
func product(a, b int) int {
	const tooMuch = 1 << 30
	return min(a, tooMuch) * min(b, tooMuch)
}
