package jsonnode

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/itchyny/gojq"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of a query. The compiler is recursive, so the source must be short.
const (
	maxSource  = 16 << 10 // bytes
	maxResults = 100_000
	maxMessage = 1_000 // bytes of an error
)

func queryNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "json.query",
			Label:   "Query JSON",
			Aliases: node.Words("jq, transform json, reshape", "jq, json umformen, abfrage"),
			Example: &node.Example{Config: map[string]any{"value": []any{3, 1, 2}, "filter": "map(. * 2) | add"}},
			Description: "Runs a [jq](https://jqlang.org/manual/) filter.\n\n" +
				"`.items[] | select(.price > $vars.limit) | .name` gives the names of the items that cost more than the field limit of `vars`.\n\n" +
				"A filter sees nothing but `value` and `$vars`: no environment, no files, no clock.\n\n" +
				"It may take 128 MiB of memory besides its inputs, 50,000,000 steps, and give 100,000 results of 256 MiB in all. " +
				"What needs more fails with `limit_exceeded`, before the memory is taken. A number has at most 10,000 digits when it is read, " +
				"and a regular expression 20,000 instructions.",
			Inputs: []node.Port{
				{Name: "value", Type: value.Any(), Description: "What to query: the `.` of the filter."},
				{Name: "filter", Type: value.String(), Literal: true, Widget: "expression", Script: &node.Script{Language: node.LanguageJQ, Names: map[string]string{".": "value", "$vars": "vars"}}, Description: "The jq filter."},
				{Name: "vars", Type: value.RecordOf(), Optional: true, Description: "Further values for the filter, as `$vars.name`."},
			},
			Outputs: []node.Port{
				{Name: "result", Type: value.Any(), Description: "The first result; null if there is none."},
				{Name: "results", Type: value.ListOf(value.Any()), Description: "All results."},
			},
			Pure:    true,
			Derives: &node.Derives{From: "value", By: "filter", Gives: "result", Wired: true},
		},
		Bind: bindQuery,
	}
}

func bindQuery(b node.Binding) (node.Bound, []node.Problem) {
	filter, ok := b.Config["filter"].(string)
	if !ok { // a missing or wrong value is reported by the type check
		return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs}, nil
	}
	if _, err := compile(filter); err != nil {
		p := node.Invalid("filter", "the filter is wrong: %v", err)
		p.At = characterOf(filter, err)
		return node.Bound{}, []node.Problem{p}
	}
	q := &query{filter: filter}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: q.call}, nil
}

// errClock refuses filters whose results depend on the time: the node is pure.
var errClock = errors.New("now is not available: a filter has no clock; the node time.now tells the time, which comes in by value or by vars")

// parseError adds the position, as line and character from 1.
func parseError(filter string, err error) error {
	var at *gojq.ParseError
	if !errors.As(err, &at) {
		return err
	}
	before := beforeToken(filter, at)
	line := 1 + strings.Count(before, "\n")
	character := 1 + len([]rune(before[strings.LastIndexByte(before, '\n')+1:]))
	return fmt.Errorf("%w (line %d, character %d)", err, line, character)
}

func beforeToken(filter string, at *gojq.ParseError) string {
	return filter[:min(max(at.Offset-len(at.Token), 0), len(filter))]
}

// characterOf returns the number of the character that an error is about, from 1, or 0 if
// unknown.
func characterOf(filter string, err error) int {
	var at *gojq.ParseError
	if !errors.As(err, &at) {
		return 0
	}
	return 1 + utf8.RuneCountInString(beforeToken(filter, at))
}

// query is a pool of compiled copies of one filter.
type query struct {
	filter string
	pool   sync.Pool
}

func (q *query) call(ctx context.Context, in, out []any) error {
	p, ok := q.pool.Get().(*program)
	if !ok {
		var err error
		if p, err = compile(q.filter); err != nil {
			return err
		}
	}
	vars, _ := in[2].(map[string]any)
	results, err := p.run(ctx, in[0], vars)
	if p.reusable() {
		q.pool.Put(p)
	}
	if err != nil {
		return err
	}
	out[0], out[1] = nil, results
	if len(results) > 0 {
		out[0] = results[0]
	}
	return nil
}

// failure converts the error of a filter to a node error.
func failure(err error) error {
	if refused, ok := errors.AsType[*node.Error](err); ok {
		return node.Permanent(refused)
	}
	if errors.Is(err, errFuel) || errors.Is(err, errMemory) {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded, "the filter fails: %w", err))
	}
	if halt := (*gojq.HaltError)(nil); errors.As(err, &halt) {
		return node.Permanent(node.Errorf(node.CodeFailed, "the filter stopped: %s", jqMessage(halt.Value())))
	}
	if thrown, ok := errors.AsType[gojq.ValueError](err); ok {
		return node.Permanent(node.Errorf(node.CodeFailed, "the filter fails: error: %s", jqMessage(thrown.Value())))
	}
	return node.Permanent(node.Errorf(node.CodeFailed, "the filter fails: %w", err))
}

// jqMessage returns what jq prints for a value passed to error or halt_error, shortened.
func jqMessage(v any) string {
	if s, ok := v.(string); ok {
		return shorten(s, maxMessage)
	}
	return gojq.Preview(v)
}
