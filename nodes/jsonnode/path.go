package jsonnode

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/theory/jsonpath"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func pathNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "json.path",
			Label:   "Select by path",
			Aliases: node.Words("jsonpath, select, extract", "auswählen, herausziehen"),
			Example: &node.Example{Config: map[string]any{"value": map[string]any{"name": "Ada"}, "path": "$.name"}},
			Description: "Selects parts of a value by a JSONPath (RFC 9535).\n\n" +
				"`$.items[?@.price < 10].name` gives the names of the items that cost less than 10, and `$..id` every id at any depth.\n\n" +
				"The matches come in the order of the value, the fields of records by name. Comparing numbers is exact up to 53 bits. " +
				"In `match()` and `search()` regular expressions are those of RE2.",
			Inputs: []node.Port{
				{Name: "value", Type: value.Any(), Description: "The value to select from: the `$` of the path."},
				{Name: "path", Type: value.String(), Literal: true, Widget: "expression", Script: &node.Script{Language: node.LanguageJSONPath, Names: map[string]string{"$": "value"}}, Description: "The JSONPath."},
			},
			Outputs: []node.Port{
				{Name: "result", Type: value.Any(), Description: "The first match; null if there is none."},
				{Name: "results", Type: value.ListOf(value.Any()), Description: "All matches."},
				{Name: "found", Type: value.Bool(), Description: "Whether anything matches."},
				{Name: "paths", Type: value.ListOf(value.String()), Description: "Where each match stands, as a normalized path such as $['items'][0]."},
			},
			Pure: true,
		},
		Bind: bindPath,
	}
}

func bindPath(b node.Binding) (node.Bound, []node.Problem) {
	bound := node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs}
	text, ok := b.Config["path"].(string)
	if !ok { // a missing or wrong value is reported by the type check
		return bound, nil
	}
	path, err := parsePath(text)
	if err != nil {
		p := node.Invalid("path", "the path is wrong: %v", err)
		p.At = pathCharacter(text, err)
		return node.Bound{}, []node.Problem{p}
	}
	bound.Call = func(ctx context.Context, in, out []any) error {
		return selectPath(ctx, path, in, out)
	}
	return bound, nil
}

// pathCharacter returns the number of the character that a parse error is about, from 1, or
// 0 if unknown. The parser reports the byte offset only in the text of its message.
func pathCharacter(text string, err error) int {
	_, place, told := strings.Cut(err.Error(), " at position ")
	at, wrong := strconv.Atoi(place)
	if !told || wrong != nil || at < 1 || at > len(text)+1 {
		return 0
	}
	return 1 + utf8.RuneCountInString(text[:at-1])
}

// parsePath compiles a path. The parser is recursive, so the length and the nesting of the
// source are limited.
func parsePath(text string) (*jsonpath.Path, error) {
	if len(text) > maxSource {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSource)
	}
	path, err := newPathParser().Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "jsonpath: "))
	}
	return path, nil
}

func selectPath(ctx context.Context, path *jsonpath.Path, in, out []any) error {
	s := newSelection(ctx, plain(in[0]))
	matches, err := s.all(path.Query().Segments())
	if err != nil {
		return err
	}
	results, paths, size := make([]any, len(matches)), make([]any, len(matches)), sizer{left: maxCost}
	for i, m := range matches {
		where := m.path()
		if results[i], err = size.value(m.value); err == nil {
			err = size.take(len(where))
		}
		if err != nil {
			return err
		}
		paths[i] = where
	}
	out[0], out[1], out[2], out[3] = nil, results, len(results) > 0, paths
	if len(results) > 0 {
		out[0] = results[0]
	}
	return nil
}
