package data

import (
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/csvtext"
	"github.com/svcflow/svc/nodes/reading"
)

type csvFormatIn struct {
	Rows      []any    `port:"rows" doc:"The rows."`
	Columns   []string `port:"columns,optional" doc:"Which fields to write, in which order; all by name if they are not given."`
	Delimiter string   `port:"delimiter" default:"," doc:"What stands between fields: one character, or tab."`
	Header    bool     `port:"header" default:"true" doc:"Whether the first line has the names of the columns."`
	Path      *string  `port:"path,optional" widget:"file" doc:"The file to write; the text comes out if it is not given."`
	Append    bool     `port:"append" default:"false" doc:"Add to the end of the file; a header is written if it is empty."`
	Guard     bool     `port:"guard" default:"true" doc:"Put ' before texts that a spreadsheet would take for a formula: those that begin with = + - @."`
}

type csvFormatOut struct {
	Text  string  `port:"text" doc:"The CSV; empty if it is in a file."`
	Path  *string `port:"path" doc:"The file, as the other file nodes take it."`
	Count int     `port:"count" doc:"How many rows were written."`
}

func (d disk) csvFormatNode() node.Node {
	n := node.Func("data.csv_format", "Write CSV", d.csvFormat).
		Aliases("csv, export, table, spreadsheet, to csv", "csv, tabelle, exportieren, schreiben").
		Example(map[string]any{"rows": []any{map[string]any{"name": "Ada", "city": "London"}}}).Doc(
		"Writes rows as CSV, into a text or a file: `[{\"name\":\"Ada\",\"city\":\"London\"}]` gives `city,name` and `London,Ada` in the next line. "+
			"Null is an empty field; lists and records are written as JSON. With `append` the columns are those of the header that the file has.\n\n"+
			"A text such as `=HYPERLINK(…)` would be run by a spreadsheet that opens the file; `guard` writes `'=HYPERLINK(…)`. Numbers stay as they are.").
		OnceIf("`append` is true, or is wired", func(b node.Binding) bool { return b.Config["append"] == true || b.Wired("append") })
	return withTypes(n, map[string]string{"rows": "list<record>"})
}

func (d disk) csvFormat(ctx context.Context, in csvFormatIn) (csvFormatOut, error) {
	delim, err := csvtext.Char("delimiter", in.Delimiter)
	if err != nil {
		return csvFormatOut{}, err
	}
	if delim == '"' || delim == '\n' || delim == '\r' {
		return csvFormatOut{}, reading.Invalid("delimiter cannot be a quote or the end of a line")
	}
	w := newCSVWriter(delim, in.Guard)
	if in.Path == nil {
		var b strings.Builder
		err := w.all(ctx, &b, in.Rows, in.Columns, in.Header)
		return csvFormatOut{Text: b.String(), Count: len(in.Rows)}, err
	}
	d.Disk = d.In(ctx)
	name, err := d.Clean(*in.Path)
	if err != nil {
		return csvFormatOut{}, err
	}
	if !in.Append {
		_, err = d.Save(name, func(out io.Writer) error { return w.all(ctx, out, in.Rows, in.Columns, in.Header) })
		return csvFormatOut{Path: &name, Count: len(in.Rows)}, err
	}
	columns := in.Columns
	if columns == nil && in.Header {
		if columns, err = d.columnsOf(name, delim); err != nil {
			return csvFormatOut{}, err
		}
	}
	_, err = d.Append(name, func(out io.Writer, empty bool) error { return w.all(ctx, out, in.Rows, columns, in.Header && empty) })
	return csvFormatOut{Path: &name, Count: len(in.Rows)}, err
}

// columnsOf returns the column names in the header of a file; none if the file is empty or
// does not exist.
func (d disk) columnsOf(name string, delim byte) ([]string, error) {
	f, _, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil //nolint:nilerr // writing to the file reports the error
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	t, err := csvtext.Open(f, csvtext.Options{Header: true, Delimiter: string(rune(delim)), Quote: `"`}, nil)
	if err != nil {
		return nil, err
	}
	return t.Columns(), nil
}

// csvWriter writes rows.
type csvWriter struct {
	delim   byte
	guard   bool
	special [256]bool // characters that require quotes around a field
	buf     []byte
}

func newCSVWriter(delim byte, guard bool) *csvWriter {
	w := &csvWriter{delim: delim, guard: guard}
	for _, b := range []byte{delim, '"', '\n', '\r'} {
		w.special[b] = true
	}
	return w
}

// flushEvery is the size from which the buffer is written to the file, in bytes.
const flushEvery = 64 << 10

func (w *csvWriter) all(ctx context.Context, out io.Writer, rows []any, columns []string, header bool) error {
	if columns == nil {
		columns = columnsOfRows(rows)
	}
	if header && len(columns) > 0 {
		for i, name := range columns {
			w.field(i, name)
		}
		w.buf = append(w.buf, '\n')
	}
	for _, row := range rows {
		record, _ := row.(map[string]any)
		start := len(w.buf)
		for i, name := range columns {
			w.value(i, record[name])
		}
		if len(w.buf) == start && len(columns) > 0 { // a single empty field would be an empty line, which readers skip
			w.buf = append(w.buf, '"', '"')
		}
		w.buf = append(w.buf, '\n')
		if len(w.buf) >= flushEvery {
			if err := w.flush(ctx, out); err != nil {
				return err
			}
		}
	}
	return w.flush(ctx, out)
}

func (w *csvWriter) flush(ctx context.Context, out io.Writer) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, isText := out.(*strings.Builder); isText {
		if err := node.Hold(ctx, len(w.buf)); err != nil {
			return err
		}
	}
	_, err := out.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// columnsOfRows returns the names of all fields in the rows, sorted.
func columnsOfRows(rows []any) []string {
	names := map[string]bool{}
	for _, row := range rows {
		record, _ := row.(map[string]any)
		for name := range record {
			if !names[name] {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (w *csvWriter) value(i int, v any) {
	switch v := v.(type) {
	case string:
		w.field(i, v)
	case nil:
		w.field(i, "")
	case bool, int, float64:
		w.separate(i)
		w.buf = value.Append(w.buf, v)
	default:
		w.field(i, string(value.Append(nil, v)))
	}
}

func (w *csvWriter) separate(i int) {
	if i > 0 {
		w.buf = append(w.buf, w.delim)
	}
}

// field writes a field, quoted if necessary.
func (w *csvWriter) field(i int, text string) {
	w.separate(i)
	if text == "" {
		return
	}
	guarded := w.guard && isFormula(text)
	quoted := text[0] == ' ' || text[len(text)-1] == ' '
	for k := 0; k < len(text) && !quoted; k++ {
		quoted = w.special[text[k]]
	}
	if quoted {
		w.buf = append(w.buf, '"')
	}
	if guarded {
		w.buf = append(w.buf, '\'')
	}
	if !quoted {
		w.buf = append(w.buf, text...)
		return
	}
	for {
		k := strings.IndexByte(text, '"')
		if k < 0 {
			break
		}
		w.buf = append(append(w.buf, text[:k+1]...), '"')
		text = text[k+1:]
	}
	w.buf = append(append(w.buf, text...), '"')
}

// isFormula reports whether a spreadsheet would read text as a formula. Signed numbers are
// not formulas.
func isFormula(text string) bool {
	switch text[0] {
	case '=', '@', '\t', '\r':
		return true
	case '+', '-':
		_, isText := guess(strings.TrimPrefix(text, "+")).(string)
		return isText
	}
	return false
}
