package value

import "errors"

// MaxSize bounds the [Size] of one value. What puts values together out of others
// checks it: every part counts as often as it is reached, and so a few steps of
// putting a list twice into the next one would be enough to make a value that
// nobody can print, copy or walk.
const MaxSize = 256 << 20

// ErrTooBig says that a value is larger than [MaxSize], or nested deeper than
// [MaxDepth].
var ErrTooBig = errors.New("the value is too big: more than 256 MiB in all, or nested deeper than 1,000")

// Size returns about how many bytes the JSON of v takes, counting each leaf in
// constant time, or some number above limit as soon as it is above that. What is
// nested deeper than [MaxDepth] is above every limit.
func Size(v any, limit int) int {
	m := meter{limit: limit, scalar: 5}
	m.add(v, 0)
	return m.size
}

// Exceeds reports whether the JSON of v takes more than n bytes, as far as that
// can be told without printing it: true is certain, false may be wrong.
func Exceeds(v any, n int) bool {
	m := meter{limit: n, scalar: 1}
	m.add(v, 0)
	return m.size > n
}

// Bound returns [ErrTooBig] for a value that is too big to go on with.
func Bound(v any) error {
	if Size(v, MaxSize) > MaxSize {
		return ErrTooBig
	}
	return nil
}

// meter adds up sizes until they pass the limit. A number, true, false or null
// counts as scalar bytes.
type meter struct{ size, limit, scalar int }

func (m *meter) add(v any, depth int) {
	switch v := v.(type) {
	case string:
		m.size += len(v) + 2
	case Credential:
		m.size += len(v) + 2
	case Media:
		m.size += len(v.Kind) + len(v.MIME) + len(v.Path) + len(v.URL) + len(v.Recipe) + len(`{"kind":"","mime":"","url":""}`)
	case []any:
		m.size += 2 + max(0, len(v)-1)
		if depth >= MaxDepth {
			m.size = m.limit + 1
		}
		for _, e := range v {
			if m.add(e, depth+1); m.size > m.limit {
				return
			}
		}
	case map[string]any:
		m.size += 2 + max(0, 4*len(v)-1)
		if depth >= MaxDepth {
			m.size = m.limit + 1
		}
		for k, e := range v {
			m.size += len(k)
			if m.add(e, depth+1); m.size > m.limit {
				return
			}
		}
	default:
		m.size += m.scalar
	}
}
