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
	m := meter{limit: limit, scalar: aboutScalar}
	m.add(v, 0)
	return m.size
}

// Exceeds reports whether the JSON of v takes more than n bytes, as far as that
// can be told without printing it: true is certain, false may be wrong.
func Exceeds(v any, n int) bool {
	m := meter{limit: n, scalar: leastScalar}
	m.add(v, 0)
	return m.size > n
}

// SeemsShort reports whether v is a list whose JSON would take at most n bytes if all its items
// were as its first one. Nothing but that is looked at: whoever prints it counts all the same.
func SeemsShort(v any, n int) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	each := n / len(list)
	return Size(list[0], each) < each
}

// Gauge measures values one after the other. It remembers the largest list in them, which is
// often a part of one value and all of the next. Its zero value is ready for use.
type Gauge struct {
	list          *any // its first item
	length        int
	size, scalars int
}

// Measure is Size up to [MaxSize] and Exceeds in one go.
func (g *Gauge) Measure(v any, n int) (size int, exceeds bool) {
	m := meter{limit: MaxSize, scalar: aboutScalar, gauge: g}
	m.add(v, 0)
	return m.size, m.size-(aboutScalar-leastScalar)*m.scalars > n
}

// Knows reports whether list is what g remembers.
func (g *Gauge) Knows(list []any) bool {
	return len(list) > 0 && g.list == &list[0] && g.length == len(list)
}

// met adds a list that was measured before.
func (m *meter) met(list []any) bool {
	g := m.gauge
	if g == nil || !g.Knows(list) {
		return false
	}
	m.size, m.scalars = m.size+g.size, m.scalars+g.scalars
	return true
}

// remember notes what a list has added.
func (m *meter) remember(list []any, size, scalars int) {
	if g := m.gauge; g != nil && len(list) > 0 && size > g.size && m.size <= m.limit {
		*g = Gauge{&list[0], len(list), size, scalars}
	}
}

// Bound returns [ErrTooBig] for a value that is too big to go on with.
func Bound(v any) error {
	if Size(v, MaxSize) > MaxSize {
		return ErrTooBig
	}
	return nil
}

// What a number, true, false or null takes: about so many bytes, and at least so many.
const (
	aboutScalar = 5
	leastScalar = 1
)

// meter adds up sizes until they pass the limit. A number, true, false or null
// counts as scalar bytes.
type meter struct {
	size, limit, scalar, scalars int

	gauge *Gauge // nil where nothing is remembered
}

func (m *meter) add(v any, depth int) {
	switch v := v.(type) {
	case string:
		m.size += len(v) + 2
	case Credential:
		m.size += len(v) + 2
	case Media:
		m.size += len(v.Kind) + len(v.MIME) + len(v.Path) + len(v.URL) + len(v.Recipe) + len(`{"kind":"","mime":"","url":""}`)
	case []any:
		if m.met(v) {
			return
		}
		size, scalars := m.size, m.scalars
		m.size += 2 + max(0, len(v)-1)
		if depth >= MaxDepth {
			m.size = m.limit + 1
		}
		for _, e := range v {
			if m.add(e, depth+1); m.size > m.limit {
				return
			}
		}
		m.remember(v, m.size-size, m.scalars-scalars)
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
		m.scalars++
	}
}
