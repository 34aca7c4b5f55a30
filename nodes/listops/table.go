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

// keyPort is an expression over the items of a list, that of the input of this name.
func keyPort(list, name, description string) node.Port {
	return node.Port{Name: name, Type: value.String(), Literal: true, Widget: "expression", Script: expr.OverItems(list), Description: description}
}

// otherKeyPort is that for the second list, where that has other names.
func otherKeyPort(list, name, description string) node.Port {
	p := keyPort(list, name, description)
	p.Optional = true
	return p
}

// keyed finds the records of a list by what an expression gives for them.
type keyed struct {
	list []any
	at   map[any][]int // places in list by key
	keys keys
}

// index reads the keys of a list.
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

// find returns the places of the records with a key that another list's record gives.
func (k *keyed) find(v any) []int {
	if v == nil {
		return nil
	}
	return k.at[k.keys.of(v)]
}

// compileKeys compiles the expressions of two lists. The second is the first one where it
// is not given.
func compileKeys(config map[string]any, first, second string) (of, other *expr.Expression, problems []node.Problem) {
	of, problems = expr.Compile(config, first)
	if _, given := config[second].(string); !given {
		return of, of, problems
	}
	other, more := expr.Compile(config, second)
	return of, other, append(problems, more...)
}
