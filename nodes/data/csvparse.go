package data

import (
	"context"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type csvOut struct {
	Rows    []any    `port:"rows" doc:"The rows, by the names of the columns."`
	Columns []string `port:"columns" doc:"The names of the columns, in order."`
	Count   int      `port:"count" doc:"How many rows there are."`
	Bad     []any    `port:"bad" doc:"The rows that were passed over."`
}

// csvHelp is the part of the descriptions that says how CSV is read.
const csvHelp = "The encoding is found out (UTF-8, UTF-16 with a mark, else Windows-1252), and so is the delimiter: comma, semicolon, tab or `|`. " +
	"A row with too few or too many fields, or with a quote in the wrong place, fails with `invalid_input` and its line and column, " +
	"or is passed over with `onBadRow` = `skip`. With `types` = `guess` `12` is a number, an empty field null, and `007` a text."

func (d disk) csvParseNode() node.Node {
	n := node.Func("data.csv_parse", "Read CSV", d.csvParse).
		Aliases("csv, table, import, spreadsheet, tsv, read rows", "csv, tabelle, einlesen, importieren, zeilen").
		Example(map[string]any{"text": "name,city\nAda,London\n"}).Doc(
		"Reads a table from CSV: `name,city` and `Ada,London` in the next line give the row `{\"name\":\"Ada\",\"city\":\"London\"}`. " + csvHelp +
			"\n\nAt most 1,000,000 rows come in one piece; `data.csv_each` reads files of any size.")
	return fromOne(withTypes(n, map[string]string{"rows": "list<record>", "bad": badRows}))
}

// badRows is the type of the output that lists malformed rows.
const badRows = "list<record{line:int,message:string}>"

// withTypes sets the types of ports whose Go types are less precise.
func withTypes(n node.Node, types map[string]string) node.Node {
	for _, ports := range [][]node.Port{n.Spec.Inputs, n.Spec.Outputs} {
		for i := range ports {
			if typ, ok := types[ports[i].Name]; ok {
				ports[i].Type = value.MustType(typ)
			}
		}
	}
	return n
}

func (d disk) csvParse(ctx context.Context, in csvIn) (csvOut, error) {
	r, _, err := d.open(in.source)
	if err != nil {
		return csvOut{}, err
	}
	defer r.Close()
	t, err := in.table(r)
	if err != nil {
		return csvOut{}, err
	}
	rows, err := t.rows(ctx, limit.TableRows+1)
	if err != nil {
		return csvOut{}, err
	}
	if len(rows) > limit.TableRows {
		return csvOut{}, tooMuch("there are more than %d rows; read them with data.csv_each, or set limit", limit.TableRows)
	}
	if err := value.Bound(rows); err != nil {
		return csvOut{}, tooMuch("%w; read it with data.csv_each", err)
	}
	return csvOut{rows, t.columns, len(rows), t.bad}, nil
}
