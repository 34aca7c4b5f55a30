package doc

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/workflow"
)

// Found is an occurrence of a text in the document.
type Found struct {
	// Path is the path of the node, on any level ("loop/fmt"); for a note or a group, its
	// level with a trailing "/".
	Path string
	// Where is "id", "label", "note", "group", or the name of an input, which Port repeats.
	Where string
	Port  string
	Note  string // the id of the note or group
	Text  string // the whole text there
}

// Query is what to search for. The zero Query finds nothing.
type Query struct {
	Text string
	Case bool // case-sensitive
}

func (q Query) pattern() *regexp.Regexp {
	flags := "(?i)"
	if q.Case {
		flags = ""
	}
	return regexp.MustCompile(flags + regexp.QuoteMeta(q.Text))
}

// maxFound bounds what is listed.
const maxFound = 1000

// Find returns the occurrences of a text in the whole document, bodies included: in ids,
// labels, values and expressions, notes and group names. more means that there are others.
func (d *Document) Find(q Query) (all []Found, more bool) {
	if q.Text == "" {
		return nil, false
	}
	pattern := q.pattern()
	walk(d.root, nil, func(level *workflow.Definition, path []string) {
		for i := range level.Nodes {
			n := &level.Nodes[i]
			at := fold.Join(path, n.ID)
			for _, f := range []Found{{Path: at, Where: "id", Text: n.ID}, {Path: at, Where: "label", Text: n.Label}} {
				if pattern.MatchString(f.Text) {
					all = append(all, f)
				}
			}
			for _, port := range slices.Sorted(maps.Keys(n.Config)) {
				if text, ok := firstText(n.Config[port], pattern); ok {
					all = append(all, Found{Path: at, Where: port, Port: port, Text: text})
				}
			}
		}
		for _, n := range level.Notes {
			if pattern.MatchString(n.Text) {
				all = append(all, Found{Path: fold.Join(path, ""), Where: "note", Note: n.ID, Text: n.Text})
			}
		}
		for _, g := range level.Groups {
			if pattern.MatchString(g.Label) {
				all = append(all, Found{Path: fold.Join(path, ""), Where: "group", Note: g.ID, Text: g.Label})
			}
		}
	})
	if len(all) > maxFound {
		return all[:maxFound], true
	}
	return all, false
}

// walk visits a level and the bodies in it, the outermost first.
func walk(level *workflow.Definition, path []string, visit func(level *workflow.Definition, path []string)) {
	visit(level, path)
	for i := range level.Nodes {
		if n := &level.Nodes[i]; n.Body != nil {
			walk(n.Body, append(slices.Clone(path), n.ID), visit)
		}
	}
}

// firstText returns the first matching text in a value or its parts. Numbers are matched as
// they are written.
func firstText(v any, pattern *regexp.Regexp) (text string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, pattern.MatchString(v)
	case int:
		text = strconv.Itoa(v)
		return text, pattern.MatchString(text)
	case []any:
		for _, item := range v {
			if text, ok = firstText(item, pattern); ok {
				return text, true
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if text, ok = firstText(v[key], pattern); ok {
				return text, true
			}
		}
	}
	return "", false
}

// ReplaceText replaces a text by another in labels, text values, expressions, notes and group
// names of the whole document, in one step. Ids stay: see [Document.Rename]. It returns the
// number of places it changed.
func (d *Document) ReplaceText(q Query, with string) (places int, err error) {
	if q.Text == "" {
		return 0, nil
	}
	pattern := q.pattern()
	put := func(text string) string {
		if !pattern.MatchString(text) {
			return text
		}
		places++
		return pattern.ReplaceAllLiteralString(text, with)
	}
	err = d.do("Replace text", "", func(c *change) (err error) {
		walk(c.root, nil, func(level *workflow.Definition, _ []string) {
			if bad := c.replaceIn(level, put); bad != nil && err == nil {
				err = bad
			}
		})
		return err
	})
	clear(d.ports)
	return places, err
}

// replaceIn replaces the texts of one level.
func (c *change) replaceIn(level *workflow.Definition, put func(string) string) error {
	for i := range level.Nodes {
		n := level.Nodes[i]
		n.Label, n.Config = put(n.Label), maps.Clone(n.Config)
		for _, port := range slices.Sorted(maps.Keys(n.Config)) {
			n.Config[port] = replaced(n.Config[port], put)
		}
		if changed := !reflect.DeepEqual(n, level.Nodes[i]); !changed {
			continue
		}
		if err := checkNode(n); err != nil {
			return err
		}
		replace(c, &level.Nodes, i, 1, n)
	}
	for i := range level.Notes {
		modify(c, &level.Notes, i, func(n *workflow.Note) { n.Text = put(n.Text) })
	}
	for i := range level.Groups {
		modify(c, &level.Groups, i, func(g *workflow.Group) { g.Label = put(g.Label) })
	}
	return nil
}

// replaced returns a copy of a value with replaced texts: values of a document are never
// changed.
func replaced(v any, put func(string) string) any {
	switch v := v.(type) {
	case string:
		return put(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = replaced(v[i], put)
		}
		return list
	case map[string]any:
		record := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			record[key] = replaced(v[key], put)
		}
		return record
	}
	return v
}
