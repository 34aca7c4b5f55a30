package listops

import (
	"context"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const recordHelp = "The [expression](https://expr-lang.org/docs/language-definition) knows `item`, one of the records, and `index` (from 0). " +
	"Values are compared by content; 1 and 1.0 are equal, and null equals nothing, not even null."

func recordsPort(name, description string) node.Port {
	return node.Port{Name: name, Type: value.ListOf(value.RecordOf()), Description: description}
}

func recordsOut(name, description string) node.Port { return recordsPort(name, description) }

// keyPort returns an input for an expression over the items of the list that comes through
// the input called list.
func keyPort(list, name, description string) node.Port {
	return node.Port{Name: name, Type: value.String(), Literal: true, Widget: "expression", Script: expr.OverItems(list), Description: description}
}

// otherKeyPort returns the optional input for the expression over the second list.
func otherKeyPort(list, name, description string) node.Port {
	p := keyPort(list, name, description)
	p.Optional = true
	return p
}

// keyed is an index of a list's records by the results of an expression.
type keyed struct {
	list []any
	at   map[any][]int // indexes of the list by key
	keys keys
}

// index builds the index of a list.
func index(ctx context.Context, e *expr.Expression, list []any) (*keyed, error) {
	k := &keyed{list: list, at: make(map[any][]int, len(list))}
	evaluation := e.Start(ctx, nil)
	for i, item := range list {
		v, err := evaluation.Key(i, item)
		if err != nil {
			return nil, err
		}
		if v != nil {
			key := k.keys.of(v)
			k.at[key] = append(k.at[key], i)
		}
	}
	return k, nil
}

// find returns the indexes of the records with the key v.
func (k *keyed) find(v any) []int {
	if v == nil {
		return nil
	}
	return k.at[k.keys.of(v)]
}

// compileKeys compiles the expressions for two lists. If the second is not given, the first
// is used for both.
func compileKeys(config map[string]any, first, second string) (of, other *expr.Expression, problems []node.Problem) {
	of, problems = expr.Compile(config, first)
	if _, given := config[second].(string); !given {
		return of, of, problems
	}
	other, more := expr.Compile(config, second)
	return of, other, append(problems, more...)
}
