package listops

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

const fieldHelp = "A field is named as it is, one inside another with a dot, as in `address.city`; " +
	"an [expression](https://expr-lang.org/docs/language-definition) over `item` does as well, as in `item.price * item.qty`."

func aggregateNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.aggregate",
			Label:   "Summarize list",
			Aliases: node.Words("group by, sum by group, statistics, totals, rollup", "zusammenfassen, summen je gruppe, auswerten, statistik"),
			Example: &node.Example{Config: map[string]any{
				"by": []any{"city"}, "values": map[string]any{"orders": "count", "total": "sum price"},
				"list": []any{map[string]any{"city": "Rome", "price": 2}, map[string]any{"city": "Rome", "price": 3}},
			}},
			Description: "Makes one record of all that have the same in some fields, with what is calculated over them.\n\n" +
				"by `[\"city\"]` and values `{\"orders\":\"count\",\"total\":\"sum price\"}` make of `[{\"city\":\"Rome\",\"price\":2},{\"city\":\"Rome\",\"price\":3}]` " +
				"`[{\"city\":\"Rome\",\"orders\":2,\"total\":5}]`. Without anything in by, all records are one group.\n\n" +
				"The calculations are `count`, and `sum`, `mean`, `min`, `max`, `first`, `last`, `list` and `distinct` of a field. Null is left out by all of them but `list`, `first` and `last`; " +
				"`count` of a field counts what is not null. " + fieldHelp,
			Inputs: []node.Port{
				recordsPort("list", "The records."),
				{Name: "by", Type: value.ListOf(value.String()), Literal: true, Description: "The fields that a group has in common."},
				{Name: "values", Type: value.RecordOf(), Literal: true, Description: "New name → calculation."},
			},
			Outputs: []node.Port{recordsOut("result", "A record for each group, in the order of their first records.")},
			Pure:    true,
		},
		Bind: bindAggregate,
	}
}

// aggregation is a compiled node: the fields to group by, and the calculations.
type aggregation struct {
	by     []field
	values []calculation
}

type calculation struct {
	field

	how string
}

func bindAggregate(b node.Binding) (node.Bound, []node.Problem) {
	a := aggregation{}
	var problems []node.Problem
	list, _ := b.Config["by"].([]any)
	for _, name := range list {
		text, _ := name.(string)
		e, more := compileField("by", text)
		problems = append(problems, named(more, text)...)
		a.by = append(a.by, field{text, e})
	}
	values, _ := b.Config["values"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text, _ := values[name].(string)
		c, more := compileCalculation(name, text)
		problems = append(problems, named(more, name)...)
		a.values = append(a.values, c)
		if slices.ContainsFunc(a.by, func(f field) bool { return f.name == name }) {
			problems = append(problems, node.Invalid("values", "%s is a field of by already; give the calculation another name", name))
		}
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: a.call}, problems
}

// compileField compiles the name of a field, or an expression.
func compileField(port, text string) (*expr.Expression, []node.Problem) {
	source := text
	if isFieldName(text) {
		source = "item." + strings.ReplaceAll(text, ".", "?.")
	}
	return expr.Compile(map[string]any{port: source}, port)
}

// isFieldName reports whether text is a field name, or a path of names with dots, that does
// not begin with a variable.
func isFieldName(text string) bool {
	for i, part := range strings.Split(text, ".") {
		if !value.IsIdentifier(part) || i == 0 && (part == byItem || part == "index" || part == "vars") {
			return false
		}
	}
	return true
}

func compileCalculation(name, text string) (calculation, []node.Problem) {
	how, of, _ := strings.Cut(strings.TrimSpace(text), " ")
	c := calculation{field: field{name: name}, how: how}
	of = strings.TrimSpace(of)
	switch {
	case newCollector(how, nil) == nil:
		return c, []node.Problem{node.Invalid("values", "%q is no calculation; write one of count, sum, mean, min, max, first, last, list and distinct, and what of, as in sum price", how)}
	case of == "" && how != "count":
		return c, []node.Problem{node.Invalid("values", "%s of what? Name a field, as in %s price", how, how)}
	case of == "":
		return c, nil
	}
	e, problems := compileField("values", of)
	c.of = e
	return c, problems
}

// gathering is a group while items are added.
type gathering struct {
	record     map[string]any
	collectors []collector
}

func (a *aggregation) call(ctx context.Context, in, out []any) error {
	list, _ := in[0].([]any)
	by, values := start(ctx, a.by), make([]*expr.Evaluation, len(a.values))
	for i := range a.values {
		if a.values[i].of != nil {
			values[i] = a.values[i].of.Start(ctx, nil)
		}
	}
	groups, byKey := []*gathering{}, map[any]*gathering{}
	var keys keys
	meter := expr.NewMeter(ctx)
	if len(a.by) == 0 {
		groups = append(groups, a.group(nil, meter))
	}
	for i, item := range list {
		g := (*gathering)(nil)
		if len(a.by) == 0 {
			g = groups[0]
		} else {
			parts, err := evaluate(by, i, item)
			if err != nil {
				return err
			}
			key := keys.of(parts)
			if g = byKey[key]; g == nil {
				if err := countable(len(groups)+1, "groups"); err != nil {
					return err
				}
				g = a.group(parts, meter)
				byKey[key] = g
				groups = append(groups, g)
			}
		}
		if err := a.collect(g, values, i, item); err != nil {
			return err
		}
	}
	return a.emit(groups, out)
}

// start starts the evaluation of each field's expression.
func start(ctx context.Context, fields []field) []*expr.Evaluation {
	started := make([]*expr.Evaluation, len(fields))
	for i, f := range fields {
		started[i] = f.of.Start(ctx, nil)
	}
	return started
}

// evaluate returns the results of the expressions for an item.
func evaluate(of []*expr.Evaluation, i int, item any) ([]any, error) {
	parts := make([]any, len(of))
	for k, e := range of {
		var err error
		if parts[k], err = e.Key(i, item); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// group returns a new group. parts are the values of the fields to group by.
func (a *aggregation) group(parts []any, meter *expr.Meter) *gathering {
	g := &gathering{record: make(map[string]any, len(a.by)+len(a.values)), collectors: make([]collector, len(a.values))}
	for i, v := range parts {
		g.record[a.by[i].name] = v
	}
	for i := range a.values {
		g.collectors[i] = newCollector(a.values[i].how, meter)
	}
	return g
}

func (a *aggregation) collect(g *gathering, values []*expr.Evaluation, i int, item any) error {
	for k, c := range g.collectors {
		v := item
		if values[k] != nil {
			var err error
			if v, err = values[k].Key(i, item); err != nil {
				return err
			}
		}
		if err := c.add(v); err != nil {
			return node.Permanent(node.Errorf(node.CodeTypeError, "%s of item %d: %w", a.values[k].name, i, err))
		}
	}
	return nil
}

func (a *aggregation) emit(groups []*gathering, out []any) error {
	result := make([]any, len(groups))
	for i, g := range groups {
		for k, c := range g.collectors {
			v, err := c.result()
			if err != nil {
				return node.Permanent(node.Errorf(node.CodeNotFinite, "%s: %w", a.values[k].name, err))
			}
			g.record[a.values[k].name] = v
		}
		result[i] = g.record
	}
	out[0] = result
	return bounded(result)
}
