package value

import "errors"

// MaxSize is the maximum [Size] of one value. Code that combines values must check it.
// Shared parts count each time they occur: a list that contains the previous list twice
// becomes too large to print, copy or walk after a few steps.
const MaxSize = 256 << 20

// ErrTooBig means that a value is larger than [MaxSize], or nested deeper than [MaxDepth].
var ErrTooBig = errors.New("the value is too big: more than 256 MiB in all, or nested deeper than 1,000")

// Size returns the approximate number of bytes of v as JSON. It takes constant time for
// each leaf, and stops with some number above limit once the limit is passed. Values nested
// deeper than [MaxDepth] exceed every limit.
func Size(v any, limit int) int {
	m := meter{limit: limit, scalar: aboutScalar}
	m.add(v, 0)
	return m.size
}

// Exceeds reports whether the JSON of v takes more than n bytes, without printing it: true
// is certain, false may be wrong.
func Exceeds(v any, n int) bool {
	m := meter{limit: n, scalar: leastScalar}
	m.add(v, 0)
	return m.size > n
}

// SeemsShort reports whether v is a list whose JSON would take at most n bytes if all items
// were like the first. It looks only at the first item, so the caller must check the size
// while printing.
func SeemsShort(v any, n int) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	each := n / len(list)
	return Size(list[0], each) < each
}

// Gauge measures values one after the other. It remembers the largest list in them, which
// is often a part of one value and the whole of the next. The zero value is ready for use.
type Gauge struct {
	list          *any // its first item
	length        int
	size, scalars int
}

// Measure returns [Size] up to [MaxSize] and [Exceeds] in a single pass.
func (g *Gauge) Measure(v any, n int) (size int, exceeds bool) {
	m := meter{limit: MaxSize, scalar: aboutScalar, gauge: g}
	m.add(v, 0)
	return m.size, m.size-(aboutScalar-leastScalar)*m.scalars > n
}

// Knows reports whether list is the remembered list.
func (g *Gauge) Knows(list []any) bool {
	return len(list) > 0 && g.list == &list[0] && g.length == len(list)
}

// met adds the size of list if it is the remembered list, and reports whether it is.
func (m *meter) met(list []any) bool {
	g := m.gauge
	if g == nil || !g.Knows(list) {
		return false
	}
	m.size, m.scalars = m.size+g.size, m.scalars+g.scalars
	return true
}

// remember stores the size of list if it is the largest so far.
func (m *meter) remember(list []any, size, scalars int) {
	if g := m.gauge; g != nil && len(list) > 0 && size > g.size && m.size <= m.limit {
		*g = Gauge{&list[0], len(list), size, scalars}
	}
}

// Bound returns [ErrTooBig] for a value that is too large.
func Bound(v any) error {
	if Size(v, MaxSize) > MaxSize {
		return ErrTooBig
	}
	return nil
}

// The approximate and the minimum number of bytes of a number, true, false or null.
const (
	aboutScalar = 5
	leastScalar = 1
)

// meter adds up sizes until they pass the limit. A number, true, false or null counts as
// scalar bytes.
type meter struct {
	size, limit, scalar, scalars int

	gauge *Gauge // nil if nothing is remembered
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
