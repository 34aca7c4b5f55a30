package data

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/sheet"
	"github.com/svcflow/svc/nodes/reading"
)

type xlsxReadIn struct {
	reading.Binary

	Sheet  *string `port:"sheet,optional" doc:"The name of the sheet; the first one if it is not given."`
	Range  *string `port:"range,optional" doc:"Which cells to read, for example A2:D100; all if it is not given."`
	Header bool    `port:"header" default:"true" doc:"Whether the first row has the names of the columns."`
	Dates  string  `port:"dates" enum:"iso|serial" default:"iso" doc:"iso makes 2026-01-31 of a cell that is shown as a date; serial leaves the number."`
}

type xlsxReadOut struct {
	Rows   []any    `port:"rows" doc:"The rows, by the names of the columns."`
	Sheets []string `port:"sheets" doc:"The names of all sheets, in order."`
	Count  int      `port:"count" doc:"How many rows there are."`
}

func (d disk) xlsxReadNode() node.Node {
	n := node.Func("data.xlsx_read", "Read XLSX", d.xlsxRead).
		Aliases("excel, spreadsheet, xlsx, workbook, sheet", "excel, tabelle, xlsx, arbeitsmappe, tabellenblatt").
		Example(map[string]any{"path": "orders.xlsx"}).Doc(
		"Reads a sheet of an Excel workbook: a header `name`, `born` and a row below give `{\"name\":\"Ada\",\"born\":\"1815-12-10\"}`. " +
			"Texts stay texts, such as `007`; numbers, true and false are what they are. Dates are ISO 8601 texts, and durations such as `[h]:mm` are `36:00:00`. " +
			"Formulas are what they gave when the workbook was saved. A cell that holds an error such as `#DIV/0!` is that text. Of merged cells the first one has the value.\n\n" +
			"The header is the first row with a value, and dates in it are named as in cells: `2026-01-31`. A second column `a` is `a_2`, and one without a name `column3`. Empty cells are null; rows without any value are left out. " +
			"Without `sheet`, the first sheet is read even if it is hidden.\n\n" +
			"Warnings name formulas without a saved result, which are null, and cells that are not what they claim to be. Dropped are texts that the workbook lacks, and the rows after the place where a sheet is damaged. " +
			"At most 1,000,000 rows come in one piece, and what a workbook unpacks to is bounded.").
		Timeout(transferTimeout)
	return reading.Node(withTypes(n, map[string]string{"rows": "list<record>"}), "path", "base64")
}

func (d disk) xlsxRead(ctx context.Context, in xlsxReadIn) (out xlsxReadOut, err error) {
	r, size, err := in.Open(ctx, d.Files)
	if err != nil {
		return out, err
	}
	defer r.Close()
	if size > maxText {
		return out, reading.TooMuch("the workbook has %d bytes; at most %d can be read", size, maxText)
	}
	notes := reading.NotesOf(ctx)
	w, err := sheet.Open(ctx, r, size, notes)
	if err != nil {
		return out, err
	}
	o := sheet.Options{Sheet: in.Sheet, Serial: in.Dates == "serial"}
	if in.Range != nil {
		cells, err := sheet.ParseRange(*in.Range)
		if err != nil {
			return out, err
		}
		o.Range = &cells
	}
	t := &xlsxTable{ctx: ctx, table: sheet.NewTable(o.Range, in.Header, notes), rows: []any{}}
	if err := w.Rows(o, t.add); err != nil {
		return out, err
	}
	if len(t.rows) == 0 {
		notes.Repaired(0, "", "there is no row in the sheet, or none after the header")
	}
	t.complete()
	out = xlsxReadOut{Rows: t.rows, Sheets: w.Sheets(), Count: len(t.rows)}
	return out, bounded(out.Rows)
}

// xlsxTable converts the rows of a sheet to records.
type xlsxTable struct {
	ctx    context.Context
	table  *sheet.Table
	rows   []any
	weight int // bytes that are not reserved yet
}

func (t *xlsxTable) add(row int, values []any) error {
	values, ok := t.table.Fit(row, values)
	if !ok {
		return nil
	}
	if len(t.rows) == limit.TableRows {
		return reading.TooMuch("there are more than %d rows; read a part of them by range", limit.TableRows)
	}
	columns := t.table.Columns()
	record := make(map[string]any, len(columns))
	for _, c := range columns {
		var v any
		if c.At < len(values) {
			v = values[c.At]
		}
		if text, ok := v.(string); ok {
			t.weight += len(text)
		}
		record[c.Name] = v
	}
	t.rows = append(t.rows, record)
	if t.weight += value.RecordWeight(len(record)) + 32*len(record); t.weight > holdEvery {
		weight := t.weight
		t.weight = 0
		return errors.Join(t.ctx.Err(), node.Hold(t.ctx, weight))
	}
	return nil
}

// complete adds the columns that later rows have to the rows before them, as null.
func (t *xlsxTable) complete() {
	columns := t.table.Columns()
	for _, row := range t.rows {
		record, _ := row.(map[string]any)
		if len(record) == len(columns) {
			break // the columns only grow
		}
		for _, c := range columns {
			if _, ok := record[c.Name]; !ok {
				record[c.Name] = nil
			}
		}
	}
}
