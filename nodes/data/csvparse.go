package data

import (
	"context"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

type csvOut struct {
	Rows    []any    `port:"rows" doc:"The rows, by the names of the columns."`
	Columns []string `port:"columns" doc:"The names of the columns, in order."`
	Count   int      `port:"count" doc:"How many rows there are."`
}

// csvHelp is the part of the descriptions that says how CSV is read.
const csvHelp = "The encoding is found by its byte order mark and its bytes; if nothing fits it is Windows-1252. A line ends with LF, CR LF or CR. " +
	"The delimiter is the comma, semicolon, tab or `|` that splits most rows alike, or the one of a line `sep=;`. " +
	"With `types` = `guess` `12` is a number, an empty field null, and `007` a text.\n\n" +
	"A row that has too few or too many fields is dropped. Repaired are: quotes inside quoted fields, which are read as Python's csv does, or after a backslash; " +
	"a quote that is not closed at the end; empty fields that are too many; lines that begin with `#` and do not fit; and columns with the same name, of which the second `a` is `a_2`. " +
	"A table without rows gives a warning."

func (d disk) csvParseNode() node.Node {
	n := node.Func("data.csv_parse", "Read CSV", d.csvParse).
		Aliases("csv, table, import, spreadsheet, tsv, read rows", "csv, tabelle, einlesen, importieren, zeilen").
		Example(map[string]any{"text": "name,city\nAda,London\n"}).Doc(
		"Reads a table from CSV: `name,city` and `Ada,London` in the next line give the row `{\"name\":\"Ada\",\"city\":\"London\"}`. " + csvHelp +
			"\n\nAt most 1,000,000 rows come in one piece; `data.csv_each` reads files of any size.")
	return reading.Node(withTypes(n, map[string]string{"rows": "list<record>"}), "path", "text", "base64")
}

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
	r, _, err := in.Stream(ctx, d.Files)
	if err != nil {
		return csvOut{}, err
	}
	defer r.Close()
	t, err := in.table(ctx, r)
	if err != nil {
		return csvOut{}, err
	}
	rows, err := t.rows(ctx, limit.TableRows+1)
	if err != nil {
		return csvOut{}, err
	}
	if len(rows) > limit.TableRows {
		return csvOut{}, reading.TooMuch("there are more than %d rows; read them with data.csv_each, or set limit", limit.TableRows)
	}
	if err := value.Bound(rows); err != nil {
		return csvOut{}, reading.TooMuch("%w; read it with data.csv_each", err)
	}
	return csvOut{rows, t.Columns(), len(rows)}, nil
}
