package valueview

import (
	"maps"
	"slices"
	"strconv"
	"unicode"

	"github.com/svcflow/svc/engine/value"
)

// branchSize is the maximum number of children of a branch; longer lists and larger records
// are split into ranges.
const branchSize = 100

// branch is a node of the tree: a part of the value, or a range of parts.
type branch struct {
	key   string // the text in the row
	path  string // as an expression: posts[3].author
	value any
	up    *branch // the parent
	step  any     // the index of the item, or the name of the field
	// from and to are a range of the parts of value; 0 and -1 are no range.
	from, to int
	keys     []string // of a record, sorted
	children []string // nil until they are needed
}

// outline is a value as a tree whose nodes are named by their paths: "0/3/1". It is built as
// far as it is looked at.
type outline struct {
	places map[string]*branch
}

func newOutline(v any) *outline {
	return &outline{places: map[string]*branch{"": {value: unfold(v), to: -1}}}
}

// unfold converts media to the record that it is in JSON.
func unfold(v any) any {
	m, ok := v.(value.Media)
	if !ok {
		return v
	}
	record, _ := value.Decode(value.Encode(m)) // what prints reads
	return record
}

// at returns a node whose id [outline.children] has returned; nil for others.
func (o *outline) at(id string) *branch { return o.places[id] }

// isBranch reports whether a node has children.
func (o *outline) isBranch(id string) bool {
	b := o.places[id]
	if b == nil {
		return false
	}
	return lengthOf(b.value) > 0
}

func lengthOf(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// children returns the ids of a node's children.
func (o *outline) children(id string) []string {
	b := o.places[id]
	if b == nil || b.children != nil {
		if b == nil {
			return nil
		}
		return b.children
	}
	if record, ok := b.value.(map[string]any); ok && b.keys == nil {
		b.keys = slices.Sorted(maps.Keys(record))
	}
	from, to := b.from, b.to
	if to < 0 {
		to = lengthOf(b.value)
	}
	step := 1
	for (to-from+step-1)/step > branchSize {
		step *= branchSize
	}
	b.children = make([]string, 0, (to-from+step-1)/step)
	for i := from; i < to; i += step {
		child := b.part(i)
		if step > 1 {
			child = b.rangeOf(i, min(i+step, to))
		}
		name := id + "/" + strconv.Itoa(len(b.children))
		o.places[name] = child
		b.children = append(b.children, name)
	}
	return b.children
}

// part returns part i of a list or record.
func (b *branch) part(i int) *branch {
	switch v := b.value.(type) {
	case []any:
		key := strconv.Itoa(i)
		return &branch{key: key, path: b.path + "[" + key + "]", value: unfold(v[i]), up: b, step: i, to: -1}
	case map[string]any:
		key := b.keys[i]
		return &branch{key: key, path: b.path + member(b.path, key), value: unfold(v[key]), up: b, step: key, to: -1}
	}
	return &branch{to: -1}
}

// rangeOf returns a range of the parts of a list or record, without the end.
func (b *branch) rangeOf(from, to int) *branch {
	return &branch{
		key: strconv.Itoa(from) + " … " + strconv.Itoa(to-1), path: b.path, value: b.value,
		from: from, to: to, keys: b.keys, up: b,
	}
}

// steps returns the path from the whole value to the branch.
func (b *branch) steps() (all []any) {
	for ; b != nil; b = b.up {
		if b.step != nil {
			all = append(all, b.step)
		}
	}
	slices.Reverse(all)
	return all
}

// isRange reports whether the branch is a range of items or fields.
func (b *branch) isRange() bool { return b.to >= 0 }

// member returns the path suffix for a field of a record.
func member(path, key string) string {
	if !isName(key) {
		return "[" + strconv.Quote(key) + "]"
	}
	if path == "" {
		return key
	}
	return "." + key
}

func isName(s string) bool {
	for i, r := range s {
		if r != '_' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != ""
}
