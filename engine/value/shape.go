package value

import (
	"slices"
	"strings"
	"sync"
)

// shape is what the records of a list have in common, as those of a table do: the names of
// their fields in order, and the JSON before each value. With it, a list is printed by
// looking up the fields of each record, which is faster than sorting them. The zero value
// fits no record.
type shape struct {
	names  []string
	json   []byte // of the names, each followed by a colon
	ends   []int  // of the names in json
	misses int    // records that did not fit
}

//nolint:gochecknoglobals // a pool outlives its users by nature; it saves each list the room for names
var shapes = sync.Pool{New: func() any { return new(shape) }}

// release returns s to the pool, without the user's data.
func (s *shape) release() {
	clear(s.names[:cap(s.names)])
	*s = shape{names: s.names[:0], json: s.json[:0], ends: s.ends[:0]}
	shapes.Put(s)
}

// likely reports whether the items of a list may be records with the same fields.
func likely(list []any) bool {
	if len(list) < shapeItems {
		return false
	}
	_, first := list[0].(map[string]any)
	_, last := list[len(list)-1].(map[string]any)
	return first && last
}

const (
	shapeFields = 16 // larger records have no shape
	shapeItems  = 4  // shorter lists have no shape
	shapeMisses = 4  // a list with more misses has no shape
)

// fits copies the values of a record into values if it has the fields of the shape, and
// returns their number, or else -1.
func (s *shape) fits(record map[string]any, values *[shapeFields]any) int {
	if len(record) != len(s.names) || len(record) == 0 {
		return -1
	}
	for i, name := range s.names {
		v, ok := record[name]
		if !ok {
			return -1
		}
		values[i] = v
	}
	return len(s.names)
}

// learn sets the shape from a record and reports whether it has one.
func (s *shape) learn(record map[string]any) bool {
	if s.misses++; len(record) > shapeFields || s.misses > shapeMisses {
		s.names = s.names[:0]
		return false
	}
	s.names, s.json, s.ends = s.names[:0], s.json[:0], s.ends[:0]
	for name := range record {
		s.names = append(s.names, name)
	}
	slices.SortFunc(s.names, strings.Compare)
	for _, name := range s.names {
		s.json = append(AppendText(s.json, name), ':')
		s.ends = append(s.ends, len(s.json))
	}
	return true
}

// appendAlike appends the items of a list in which many records may have the same fields.
func appendAlike(dst []byte, list []any, end int) []byte {
	s := shapes.Get().(*shape)
	defer s.release()
	for i, e := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		if record, ok := e.(map[string]any); ok {
			dst = s.append(dst, record, end)
		} else {
			dst = appendUpTo(dst, e, end)
		}
		if len(dst) > end {
			return dst
		}
	}
	return append(dst, ']')
}

// append is appendRecord with the shape.
func (s *shape) append(dst []byte, record map[string]any, end int) []byte {
	var values [shapeFields]any
	n := s.fits(record, &values)
	if n < 0 && s.learn(record) {
		n = s.fits(record, &values)
	}
	if n < 0 {
		return appendRecord(dst, record, end)
	}
	dst = append(Grow(dst, len(s.json)+scalarBytes), '{')
	from := 0
	for i, v := range values[:n] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, s.json[from:s.ends[i]]...)
		from = s.ends[i]
		if dst = appendUpTo(dst, v, end); len(dst) > end {
			return dst
		}
	}
	return append(dst, '}')
}
