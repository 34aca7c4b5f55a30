package expr

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/builtin"

	"github.com/svcflow/svc/engine/value"
)

// maxUnique is the maximum length of a list for uniq, which compares all pairs of items.
const maxUnique = 10_000

// functions replaces library functions that depend on the order of Go maps, or whose result
// can be much larger than their arguments before it can be charged. Text and JSON have the
// same form as elsewhere in workflows.
func functions() []expr.Option {
	return append(append(guardFunctions(), exactFunctions()...),
		expr.Function("string", textOf, new(func(any) string)),
		expr.Function("toJSON", jsonOf, new(func(any) string)),
		expr.Function("fromJSON", fromJSON, new(func(string) any)),
		expr.Function("keys", entries(func(k string, _ any) any { return k }), new(func(map[string]any) []any)),
		expr.Function("values", entries(func(_ string, v any) any { return v }), new(func(map[string]any) []any)),
		expr.Function("toPairs", entries(func(k string, v any) any { return []any{k, v} }), new(func(map[string]any) []any)),
		expr.Function("repeat", checked("repeat", repeatSize), new(func(string, int) string)),
		expr.Function("replace", checked("replace", replaceSize),
			new(func(string, string, string) string), new(func(string, string, string, int) string)),
		expr.Function("join", checked("join", joinSize),
			new(func([]any) string), new(func([]any, string) string), new(func([]string) string), new(func([]string, string) string)),
		expr.Function("split", checked("split", splitSize),
			new(func(string, string) []string), new(func(string, string, int) []string)),
		expr.Function("splitAfter", checked("splitAfter", splitSize),
			new(func(string, string) []string), new(func(string, string, int) []string)),
		expr.Function("concat", checked("concat", concatSize), new(func(any, ...any) []any)),
		expr.Function("flatten", checked("flatten", flattenSize), new(func(any) []any)),
		expr.Function("uniq", checked("uniq", uniqueSize), new(func([]any) []any)),
	)
}

func textOf(args ...any) (any, error) {
	if s, ok := args[0].(string); ok {
		return s, nil
	}
	return jsonOf(args...)
}

func jsonOf(args ...any) (any, error) {
	s := sizer{left: maxBuilt}
	v, err := s.value(args[0])
	if err != nil {
		return nil, err
	}
	return string(value.Append(nil, v)), nil
}

// maxJSON is the maximum length of the text for fromJSON: its values may need many times
// the memory of the text.
const maxJSON = maxBuilt / itemCost

// fromJSON decodes JSON and keeps 64-bit ints, like all other nodes.
func fromJSON(args ...any) (any, error) {
	text, ok := args[0].(string)
	if !ok {
		return nil, errArguments
	}
	if len(text) > maxJSON {
		return nil, errTooBig
	}
	return value.DecodeLenient([]byte(text))
}

// entries returns a function that makes a list of the fields of a record, sorted by name.
func entries(of func(k string, v any) any) func(...any) (any, error) {
	return func(args ...any) (any, error) {
		record, ok := args[0].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("expected a record, got %s", value.KindOf(args[0]))
		}
		list := make([]any, 0, len(record))
		for _, k := range slices.Sorted(maps.Keys(record)) {
			list = append(list, of(k, record[k]))
		}
		return list, nil
	}
}

// checked returns a function that calls the library's function name if the result fits the
// budget.
func checked(name string, size func(args []any) (int, error)) func(...any) (any, error) {
	f := builtin.Builtins[builtin.Index[name]]
	return func(args ...any) (any, error) {
		n, err := size(args)
		if err != nil {
			return nil, err
		}
		if n < 0 || n > maxBuilt {
			return nil, errTooBig
		}
		if f.Safe != nil {
			v, _, err := f.Safe(args...)
			return v, err
		}
		return f.Func(args...)
	}
}

var errArguments = errors.New("wrong kind of argument")

func repeatSize(args []any) (int, error) {
	s, okText := args[0].(string)
	n, okCount := args[1].(int)
	if !okText || !okCount || n < 0 {
		return 0, errArguments
	}
	return product(len(s), n), nil
}

func replaceSize(args []any) (int, error) {
	s, ok := args[0].(string)
	from, okFrom := args[1].(string)
	to, okTo := args[2].(string)
	if !ok || !okFrom || !okTo {
		return 0, errArguments
	}
	return len(s) + product(strings.Count(s, from), len(to)), nil
}

func joinSize(args []any) (int, error) {
	glue := ""
	if len(args) == 2 {
		glue, _ = args[1].(string)
	}
	size := 0
	switch list := args[0].(type) {
	case []string:
		size = product(len(list), len(glue))
		for _, s := range list {
			size += len(s)
		}
	case []any:
		size = product(len(list), len(glue))
		for _, e := range list {
			s, ok := e.(string)
			if !ok {
				return 0, fmt.Errorf("join takes a list of text, and one item is %s; use map(list, string(#))", value.KindOf(e))
			}
			size += len(s)
		}
	}
	return size, nil
}

func splitSize(args []any) (int, error) {
	s, ok := args[0].(string)
	by, okBy := args[1].(string)
	if !ok || !okBy {
		return 0, errArguments
	}
	return product(strings.Count(s, by)+1, itemCost), nil
}

func concatSize(args []any) (int, error) {
	size := 0
	for _, arg := range args {
		size += lengthOf(arg)
	}
	return product(size, itemCost), nil
}

// lengthOf returns the length of a list of any Go type, and 1 for anything else.
func lengthOf(v any) int {
	if list := reflect.ValueOf(v); list.Kind() == reflect.Slice {
		return list.Len()
	}
	return 1
}

func flattenSize(args []any) (int, error) {
	return leaves(args[0], maxBuilt/itemCost+1, 0) * itemCost, nil
}

// leaves counts the nested lists in v and the values that are not lists, up to most.
func leaves(v any, most, depth int) int {
	list, ok := v.([]any)
	if !ok || depth > value.MaxDepth {
		return lengthOf(v)
	}
	n := min(depth, 1)
	for _, e := range list {
		if n += leaves(e, most-n, depth+1); n >= most {
			return most
		}
	}
	return n
}

func uniqueSize(args []any) (int, error) {
	list, _ := args[0].([]any)
	if len(list) > maxUnique {
		return 0, fmt.Errorf("uniq takes lists of up to %d items", maxUnique)
	}
	return len(list), nil
}

// product returns a*b, or more than any budget if that is too large. a and b must not be
// negative.
func product(a, b int) int {
	if a != 0 && b > maxBuilt/a {
		return maxBuilt + 1
	}
	return a * b
}
