package jsonnode

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/theory/jsonpath/spec"

	"github.com/svcflow/svc/engine/node"
)

// The limits of one selection.
const (
	maxMatches = 1_000_000  // matches of one segment
	maxLooks   = 50_000_000 // visited parts of the value
	maxFilter  = 10_000_000 // parts of the value that one test of a filter may visit
)

var (
	errMatches = errors.New("the path selects too much; make it more exact")
	errFilter  = errors.New("a filter of the path is too much work for this value; use fewer .. and * inside of [? ]")
	errRegexp  = errors.New("a regular expression of the path is too much work for this value; use a simpler one, or shorter texts")
)

// match is a selected part of a value.
type match struct {
	value  any
	parent *match // nil for the root
	step   spec.NormalSelector
}

// path returns the position of the match as a normalized path.
func (m *match) path() string {
	var steps []spec.NormalSelector
	for ; m.parent != nil; m = m.parent {
		steps = append(steps, m.step)
	}
	slices.Reverse(steps)
	return spec.NormalizedPath(steps).String()
}

// selection evaluates a path on a value. The library's own evaluation has the random order
// of Go's maps, does not end for paths such as $..*..*..*, and ignores contexts. So the
// library only parses paths and tests filters.
type selection struct {
	ctx   context.Context
	root  any
	size  shape
	looks int
	out   []*match
}

func newSelection(ctx context.Context, root any) *selection {
	return &selection{ctx: ctx, root: root}
}

// all returns the matches of a path, in the order of RFC 9535; fields of records are sorted
// by name.
func (s *selection) all(segments []*spec.Segment) ([]*match, error) {
	s.out = []*match{{value: s.root}}
	for _, segment := range segments {
		if err := s.affordable(segment); err != nil {
			return nil, err
		}
		from := s.out
		s.out = nil
		for _, m := range from {
			if err := s.segment(segment, m); err != nil {
				return nil, err
			}
		}
	}
	return s.out, nil
}

func (s *selection) segment(segment *spec.Segment, m *match) error {
	for _, selector := range segment.Selectors() {
		if err := s.selector(selector, m); err != nil {
			return err
		}
	}
	if !segment.IsDescendant() {
		return nil
	}
	return s.each(m, func(child *match) error { return s.segment(segment, child) })
}

// selector adds the parts of m that a selector selects.
func (s *selection) selector(selector spec.Selector, m *match) error {
	switch x := selector.(type) {
	case spec.Name:
		if record, ok := m.value.(map[string]any); ok {
			if v, ok := record[string(x)]; ok {
				return s.add(&match{v, m, x})
			}
		}
	case spec.Index:
		if list, ok := m.value.([]any); ok {
			if i := int(x); i < 0 {
				return s.item(list, len(list)+i, m)
			}
			return s.item(list, int(x), m)
		}
	case spec.SliceSelector:
		return s.slice(x, m)
	case spec.WildcardSelector:
		return s.each(m, s.add)
	case *spec.FilterSelector:
		return s.each(m, func(child *match) error {
			picked, err := s.test(x, child.value)
			if err == nil && picked {
				err = s.add(child)
			}
			return err
		})
	}
	return s.look()
}

// test reports whether a filter selects v.
func (s *selection) test(filter *spec.FilterSelector, v any) (picked bool, err error) {
	defer func() {
		if p := recover(); p == (tooComplex{}) {
			err = tooMuch(errRegexp)
		} else if p != nil {
			panic(p)
		}
	}()
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	return filter.Eval(v, s.root), nil
}

func (s *selection) item(list []any, i int, m *match) error {
	if i < 0 || i >= len(list) {
		return s.look()
	}
	return s.add(&match{list[i], m, spec.Index(i)})
}

func (s *selection) slice(x spec.SliceSelector, m *match) error {
	list, ok := m.value.([]any)
	if !ok || x.Step() == 0 {
		return s.look()
	}
	lower, upper := x.Bounds(len(list))
	step := min(max(x.Step(), -len(list)-1), len(list)+1) // clamped, so that no addition overflows
	if step < 0 {
		for i := upper; i > lower; i += step {
			if err := s.item(list, i, m); err != nil {
				return err
			}
		}
		return nil
	}
	for i := lower; i < upper; i += step {
		if err := s.item(list, i, m); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for each child of m.
func (s *selection) each(m *match, do func(*match) error) error {
	switch x := m.value.(type) {
	case []any:
		for i, v := range x {
			if err := errors.Join(s.look(), do(&match{v, m, spec.Index(i)})); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(x)) {
			if err := errors.Join(s.look(), do(&match{x[k], m, spec.Name(k)})); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *selection) add(m *match) error {
	if len(s.out) == maxMatches {
		return tooMuch(errMatches)
	}
	s.out = append(s.out, m)
	return s.look()
}

// look counts a visited part.
func (s *selection) look() error {
	const looksPerCheck = 64
	if s.looks++; s.looks > maxLooks {
		return tooMuch(errMatches)
	}
	if s.looks%looksPerCheck == 0 {
		return s.ctx.Err()
	}
	return nil
}

func tooMuch(err error) error {
	return node.Permanent(node.Errorf(node.CodeLimitExceeded, "%w", err))
}

// affordable refuses a segment with a filter whose single test may take too long: a test
// cannot be interrupted. A path in a filter visits every part of the value at most once.
// Each further .. may visit it once per level, each comma doubles the cost, and each query
// from the root may run once per part.
func (s *selection) affordable(segment *spec.Segment) error {
	for _, selector := range segment.Selectors() {
		filter, ok := selector.(*spec.FilterSelector)
		if !ok {
			continue
		}
		text := outsideQuotes(filter.String())
		descents, branches := strings.Count(text, ".."), branches(text)
		if descents == 0 && branches == 0 && !strings.ContainsAny(text, "*:") && strings.Count(text, "?") == 1 {
			continue // visits single parts only
		}
		if s.size == (shape{}) {
			s.size.measure(s.root, 1)
		}
		cost := float64(s.size.parts) *
			math.Pow(float64(s.size.depth), float64(max(0, descents-1))) *
			math.Exp2(float64(branches)) *
			math.Pow(float64(s.size.parts), float64(wideRoots(text)))
		if cost > maxFilter {
			return tooMuch(errFilter)
		}
	}
	return nil
}

// branches counts the commas between selectors.
func branches(text string) (n int) {
	var open []rune
	for _, c := range text {
		switch c {
		case '[', '(':
			open = append(open, c)
		case ']', ')':
			open = open[:max(0, len(open)-1)]
		case ',':
			if len(open) > 0 && open[len(open)-1] == '[' {
				n++
			}
		}
	}
	return n
}

// wideRoots counts the queries from the root that may visit several parts.
func wideRoots(text string) (n int) {
	for _, query := range strings.Split(text, "$")[1:] {
		if end := strings.IndexAny(query, " )"); end >= 0 {
			query = query[:end]
		}
		if strings.ContainsAny(query, "*:?") || strings.Contains(query, "..") {
			n++
		}
	}
	return n
}

// outsideQuotes replaces the string literals in a filter by blanks.
func outsideQuotes(text string) string {
	var b strings.Builder
	quoted, escaped := false, false
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case !quoted:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// shape is the number of parts of a value, and its depth.
type shape struct{ parts, depth int }

func (s *shape) measure(v any, depth int) {
	s.parts++
	s.depth = max(s.depth, depth)
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			s.measure(e, depth+1)
		}
	case map[string]any:
		for _, e := range x {
			s.measure(e, depth+1)
		}
	}
}
