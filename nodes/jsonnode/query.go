package jsonnode

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/itchyny/gojq"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of a query. Its source is short enough for a compiler that calls
// itself.
const (
	maxSource  = 16 << 10 // bytes
	maxResults = 100_000
)

func queryNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:  "json.query",
			Label: "Query JSON",
			Description: "Runs a [jq](https://jqlang.org/manual/) filter.\n\n" +
				"`.items[] | select(.price > $vars.limit) | .name` gives the names of the items that cost more than the field limit of `vars`.\n\n" +
				"A filter sees nothing but `value` and `$vars`: no environment, no files, no clock.",
			Inputs: []node.Port{
				{Name: "value", Type: value.Any(), Description: "What to query: the `.` of the filter."},
				{Name: "filter", Type: value.String(), Literal: true, Widget: "expression", Description: "The jq filter."},
				{Name: "vars", Type: value.RecordOf(), Optional: true, Description: "Further values for the filter, as `$vars.name`."},
			},
			Outputs: []node.Port{
				{Name: "result", Type: value.Any(), Description: "The first result; null if there is none."},
				{Name: "results", Type: value.ListOf(value.Any()), Description: "All results."},
			},
			Pure: true,
		},
		Bind: bindQuery,
	}
}

func bindQuery(b node.Binding) (node.Bound, []node.Problem) {
	filter, ok := b.Config["filter"].(string)
	if !ok { // that it is missing or no string is found without us
		return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs}, nil
	}
	code, err := compile(filter)
	if err != nil {
		return node.Bound{}, []node.Problem{node.Invalid("filter", "the filter is wrong: %v", err)}
	}
	q := query{code, maxSteps, maxCost}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: q.call}, nil
}

// prelude takes the clock away.
const prelude = `def now: error("now is not available: a query gives the same result each time"); .`

func compile(filter string) (*gojq.Code, error) {
	if len(filter) > maxSource {
		return nil, fmt.Errorf("it is longer than %d bytes", maxSource)
	}
	parsed, err := gojq.Parse(filter)
	if err != nil {
		return nil, parseError(filter, err)
	}
	before, err := gojq.Parse(prelude)
	if err != nil {
		return nil, err
	}
	parsed.FuncDefs = append(before.FuncDefs, parsed.FuncDefs...)
	return gojq.Compile(parsed, gojq.WithVariables([]string{"$vars"}))
}

// parseError adds the place, as line and character from 1.
func parseError(filter string, err error) error {
	var at *gojq.ParseError
	if !errors.As(err, &at) {
		return err
	}
	before := filter[:min(max(at.Offset-len(at.Token), 0), len(filter))]
	line := 1 + strings.Count(before, "\n")
	character := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	return fmt.Errorf("%w (line %d, character %d)", err, line, character)
}

// query is a compiled filter.
type query struct {
	code  *gojq.Code
	steps int // see fuel
	cost  int // see sizer
}

func (q query) call(ctx context.Context, in, out []any) error {
	vars := map[string]any{}
	if given, ok := in[2].(map[string]any); ok {
		vars = given
	}
	results, err := q.run(ctx, private(in[0]), private(vars))
	if err != nil {
		return err
	}
	out[0], out[1] = nil, results
	if len(results) > 0 {
		out[0] = results[0]
	}
	return nil
}

func (q query) run(ctx context.Context, input, vars any) ([]any, error) {
	results, size := []any{}, sizer{left: q.cost}
	iter := q.code.RunWithContext(newFuel(ctx, q.steps), input, vars) //nolint:contextcheck // newFuel is made of ctx
	for {
		v, ok := iter.Next()
		if !ok {
			return results, nil
		}
		if err, failed := v.(error); failed {
			if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) && halt.Value() == nil {
				return results, nil
			}
			return nil, failure(ctx, err)
		}
		if len(results) == maxResults {
			return nil, node.Permanent(node.Errorf(node.CodeLimitExceeded,
				"more than %d results; collect them into a list with [ ], or use limit(n; …)", maxResults))
		}
		v, err := size.value(v)
		if err != nil {
			return nil, err
		}
		results = append(results, v)
	}
}

// failure explains why a filter failed.
func failure(ctx context.Context, err error) error {
	if cause := ctx.Err(); cause != nil {
		return cause
	}
	code := node.CodeFailed
	if errors.Is(err, errFuel) {
		code = node.CodeLimitExceeded
	}
	if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) {
		return node.Permanent(node.Errorf(code, "the filter stopped: %s", jqMessage(halt.Value())))
	}
	return node.Permanent(node.Errorf(code, "the filter fails: %w", err))
}

// jqMessage is what jq prints for a value given to halt_error.
func jqMessage(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return gojq.Preview(v)
}
