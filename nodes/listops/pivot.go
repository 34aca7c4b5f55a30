package listops

import (
	"context"
	"fmt"

	"github.com/svcflow/svc/engine/expr"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxColumns is how many columns a pivot table may have.
const maxColumns = 1000

func pivotNode() node.Node {
	return node.Node{
		Spec: node.Spec{
			Type:    "listops.pivot",
			Label:   "Pivot list",
			Aliases: node.Words("pivot table, crosstab, rows to columns", "pivottabelle, kreuztabelle, zeilen zu spalten"),
			Example: &node.Example{Config: map[string]any{
				"rows": "city", "columns": "year", "value": "sales",
				"list": []any{map[string]any{"city": "Rome", "year": "2025", "sales": 3}, map[string]any{"city": "Rome", "year": "2026", "sales": 5}},
			}},
			Description: "Makes a table of a list: a record for each value of one field, with a field for each value of another.\n\n" +
				"rows `city`, columns `year` and value `sales` make of `[{\"city\":\"Rome\",\"year\":\"2025\",\"sales\":3},{\"city\":\"Rome\",\"year\":\"2026\",\"sales\":5}]` " +
				"`[{\"city\":\"Rome\",\"2025\":3,\"2026\":5}]`. Where there is nothing, the field is null. The names of columns are texts: a number is one as JSON writes it.\n\n" + fieldHelp,
			Inputs: []node.Port{
				recordsPort("list", "The records."),
				{Name: "rows", Type: value.String(), Literal: true, Description: "The field of which each value is a record."},
				{Name: "columns", Type: value.String(), Literal: true, Description: "The field of which each value is a column."},
				{Name: "value", Type: value.String(), Literal: true, Description: "The field that is put together."},
				{Name: "how", Type: value.EnumOf("sum", "count", "mean", "first"), Default: "sum", Description: "What is calculated where several meet."},
			},
			Outputs: []node.Port{
				recordsOut("result", "A record for each row, in the order in which they come first."),
				{Name: "columns", Type: value.ListOf(value.String()), Description: "The names of the columns, in the order in which they come first."},
			},
			Pure: true,
		},
		Bind: bindPivot,
	}
}

func bindPivot(b node.Binding) (node.Bound, []node.Problem) {
	var problems []node.Problem
	fields := make([]field, 0, 3)
	for _, port := range []string{"rows", "columns", "value"} {
		text, given := b.Config[port].(string)
		if !given {
			continue // reported by the type check
		}
		e, more := compileField(port, text)
		problems = append(problems, more...)
		fields = append(fields, field{text, e})
	}
	call := func(ctx context.Context, in, out []any) error {
		list, _ := in[0].([]any)
		how, _ := in[4].(string)
		p := pivot{name: fields[0].name, how: how, meter: expr.NewMeter(ctx), columns: map[string]bool{}, rows: map[any]*row{}}
		of := start(ctx, fields)
		for i, item := range list {
			parts, err := evaluate(of, i, item)
			if err == nil {
				err = p.add(parts[0], parts[1], parts[2])
			}
			if err != nil {
				return node.Permanent(node.Errorf(node.CodeOf(err), "item %d: %w", i, err))
			}
		}
		return p.emit(out)
	}
	return node.Bound{Inputs: b.Spec.Inputs, Outputs: b.Spec.Outputs, Call: call}, problems
}

// pivot is a pivot table while items are added.
type pivot struct {
	name, how string // field for the rows' values; name of the calculation
	meter     *expr.Meter
	keys      keys
	columns   map[string]bool
	names     []any // of columns, in order
	rows      map[any]*row
	order     []*row
}

type row struct {
	key   any
	cells map[string]collector
}

func (p *pivot) add(key, column, v any) error {
	name, err := p.column(column)
	if err != nil {
		return err
	}
	id := p.keys.of(key)
	r := p.rows[id]
	if r == nil {
		if err := countable((len(p.order)+1)*max(len(p.names), 1), "cells"); err != nil {
			return err
		}
		r = &row{key: key, cells: map[string]collector{}}
		p.rows[id] = r
		p.order = append(p.order, r)
	}
	if r.cells[name] == nil {
		r.cells[name] = newCollector(p.how, p.meter)
	}
	return r.cells[name].add(v)
}

// column returns the name of the column for a value.
func (p *pivot) column(v any) (string, error) {
	name, isText := expr.Plain(v).(string)
	if !isText {
		name = string(value.Append(nil, v))
	}
	if name == p.name {
		return "", node.Errorf(node.CodeInvalidInput, "a column would be called %s, as the rows are; name the rows differently, with listops.select before", name)
	}
	if p.columns[name] {
		return name, nil
	}
	if len(p.names) == maxColumns {
		return "", node.Errorf(node.CodeLimitExceeded, "more than %d columns; choose a field with fewer values", maxColumns)
	}
	p.columns[name] = true
	p.names = append(p.names, name)
	return name, nil
}

func (p *pivot) emit(out []any) error {
	if err := countable(len(p.order)*max(len(p.names), 1), "cells"); err != nil {
		return err
	}
	result := make([]any, len(p.order))
	for i, r := range p.order {
		record := make(map[string]any, len(p.names)+1)
		record[p.name] = r.key
		for _, name := range p.names {
			text := name.(string)
			record[text] = nil
			if cell := r.cells[text]; cell != nil {
				v, err := cell.result()
				if err != nil {
					return node.Permanent(node.Errorf(node.CodeNotFinite, "%s: %w", fmt.Sprint(name), err))
				}
				record[text] = v
			}
		}
		result[i] = record
	}
	out[0], out[1] = result, append([]any{}, p.names...)
	return bounded(result)
}
