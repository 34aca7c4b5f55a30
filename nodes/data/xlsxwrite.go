package data

import (
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/archive"
	"github.com/svcflow/svc/nodes/data/columns"
	"github.com/svcflow/svc/nodes/reading"
)

type xlsxWriteIn struct {
	Rows    []any    `port:"rows" doc:"The rows."`
	Path    string   `port:"path" widget:"file" doc:"The workbook."`
	Sheet   string   `port:"sheet" default:"Sheet1" doc:"The name of the sheet."`
	Columns []string `port:"columns,optional" doc:"Which fields to write, in which order; all by name if they are not given."`
	Mode    string   `port:"mode" enum:"replace|append|sheet" default:"replace" doc:"replace makes a new workbook, sheet replaces one sheet of it, append adds rows to the sheet."`
	Guard   bool     `port:"guard" default:"true" doc:"Write all texts as texts. Without, one that begins with = is a formula."`
}

type xlsxWriteOut struct {
	Path  string `port:"path" doc:"The workbook, as the other file nodes take it."`
	Count int    `port:"count" doc:"How many rows were written."`
}

// The limits of a sheet in the XLSX format.
const (
	sheetRows    = 1_048_576
	sheetColumns = 16_384
	cellText     = 32_767 // in UTF-16 code units
)

func (d disk) xlsxWriteNode() node.Node {
	n := node.Func("data.xlsx_write", "Write XLSX", d.xlsxWrite).
		Aliases("excel, export, spreadsheet, xlsx, workbook", "excel, exportieren, tabelle, xlsx, arbeitsmappe").
		Example(map[string]any{"rows": []any{map[string]any{"name": "Ada", "born": 1815}}, "path": "people.xlsx"}).Doc(
		"Writes rows into an Excel workbook, with the names of the columns in the first one: `[{\"name\":\"Ada\",\"born\":1815}]` fills two rows. Numbers are numbers, "+
			"lists and records are written as JSON, null is an empty cell. With `append` rows go below those of the sheet, by its header.\n\n"+
			"The file is whole or untouched. A text of more than 32,767 characters fits into no cell and is refused, with its row and column.").
		Timeout(transferTimeout).
		OnceIf("`mode` is `append`, or is wired", func(b node.Binding) bool { return b.Config["mode"] == "append" || b.Wired("mode") })
	return withTypes(n, map[string]string{"rows": "list<record>"})
}

func (d disk) xlsxWrite(ctx context.Context, in xlsxWriteIn) (out xlsxWriteOut, err error) {
	d.Disk = d.In(ctx)
	name, err := d.Clean(in.Path)
	if err != nil {
		return out, err
	}
	f := excelize.NewFile()
	if in.Mode != "replace" {
		opened, err := d.openWorkbook(ctx, name)
		if err == nil {
			f = opened
		} else if node.CodeOf(err) != "not_found" {
			return out, err
		}
	}
	defer f.Close() //nolint:errcheck // the workbook was written before
	w := sheetWriter{ctx: ctx, f: f, sheet: in.Sheet, guard: in.Guard, columns: in.Columns}
	if err := w.prepare(in.Mode); err != nil {
		return out, err
	}
	if err := w.all(in.Rows); err != nil {
		return out, err
	}
	_, err = d.Save(name, func(to io.Writer) error {
		_, err := f.WriteTo(to)
		return err
	})
	return xlsxWriteOut{name, len(in.Rows)}, err
}

// openWorkbook opens a workbook, whose unpacked size is limited.
func (d disk) openWorkbook(ctx context.Context, path string) (*excelize.File, error) {
	file, size, err := reading.Open(ctx, d.Files, path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	if size > maxText {
		return nil, reading.TooMuch("the workbook has %d bytes; at most %d can be read", size, maxText)
	}
	if err := archive.Check(ctx, file, size, limit.Unpacked); err != nil {
		return nil, err
	}
	if err := node.Hold(ctx, 3*int(size)); err != nil {
		return nil, err
	}
	f, err := excelize.OpenReader(file, excelize.Options{RawCellValue: true, UnzipSizeLimit: limit.Unpacked, UnzipXMLSizeLimit: limit.Unpacked})
	switch {
	case errors.Is(err, excelize.ErrWorkbookFileFormat):
		return nil, reading.Invalid("%q is no XLSX workbook", path)
	case err != nil:
		return nil, reading.Invalid("the workbook %q cannot be read: %s", path, err)
	}
	return f, nil
}

// sheetWriter writes rows into a sheet.
type sheetWriter struct {
	ctx     context.Context
	f       *excelize.File
	sheet   string
	guard   bool
	columns []string
	row     int // number of the last row written
}

// prepare creates the sheet or empties an existing one. In the mode append it finds the end
// of an existing one.
func (w *sheetWriter) prepare(mode string) error {
	i, err := w.f.GetSheetIndex(w.sheet)
	if err != nil {
		return reading.Invalid("%q cannot be the name of a sheet: %s", reading.Cut(w.sheet), err)
	}
	switch {
	case i >= 0 && mode == "append":
		return w.findEnd()
	case mode == "replace":
		err = w.f.SetSheetName("Sheet1", w.sheet)
	case i >= 0 && len(w.f.GetSheetList()) == 1: // the only sheet cannot be deleted
		_, err = w.f.NewSheet("svc-new")
		err = errors.Join(err, w.f.DeleteSheet(w.sheet), w.f.SetSheetName("svc-new", w.sheet))
	case i >= 0:
		err = w.f.DeleteSheet(w.sheet)
		_, made := w.f.NewSheet(w.sheet)
		err = errors.Join(err, made)
	default:
		_, err = w.f.NewSheet(w.sheet)
	}
	if err != nil {
		return reading.Invalid("%q cannot be the name of a sheet: %s", reading.Cut(w.sheet), err)
	}
	return nil
}

// findEnd finds the last row, and reads the columns from the first row.
func (w *sheetWriter) findEnd() error {
	rows, err := w.f.Rows(w.sheet)
	if err != nil {
		return reading.Invalid("the sheet %q cannot be read: %s", reading.Cut(w.sheet), err)
	}
	defer rows.Close() //nolint:errcheck // opened for reading only
	for at := 1; rows.Next(); at++ {
		cells, err := rows.Columns()
		if err != nil {
			return reading.Invalid("row %d of %q cannot be read: %s", at, reading.Cut(w.sheet), err)
		}
		if at == 1 && w.columns == nil {
			w.columns, _ = columns.Names(cells, 1)
		}
		if len(cells) > 0 {
			w.row = at
		}
	}
	return nil
}

func (w *sheetWriter) all(rows []any) error {
	if w.columns == nil {
		w.columns = columnsOfRows(rows)
	}
	if len(w.columns) > sheetColumns || w.row+1+len(rows) > sheetRows {
		return reading.TooMuch("there are %d rows and %d columns; a sheet has at most %d and %d", w.row+1+len(rows), len(w.columns), sheetRows, sheetColumns)
	}
	if err := node.Hold(w.ctx, len(rows)*len(w.columns)*cellWeight); err != nil {
		return err
	}
	if w.row == 0 {
		names := map[string]any{}
		for _, name := range w.columns {
			names[name] = name
		}
		if err := w.write(names); err != nil {
			return err
		}
	}
	for _, row := range rows {
		record, _ := row.(map[string]any)
		if err := w.write(record); err != nil {
			return err
		}
	}
	return nil
}

// cellWeight is roughly the library's memory for a cell, in bytes.
const cellWeight = 200

func (w *sheetWriter) write(record map[string]any) error {
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	w.row++
	for i, column := range w.columns {
		cell, err := excelize.CoordinatesToCellName(i+1, w.row)
		if err == nil {
			err = w.cell(cell, record[column])
		}
		if err != nil {
			return reading.Invalid("row %d, column %d (%s): %s", w.row, i+1, reading.Cut(column), err)
		}
	}
	return nil
}

func (w *sheetWriter) cell(cell string, v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case bool:
		return w.f.SetCellBool(w.sheet, cell, v)
	case int:
		return w.f.SetCellInt(w.sheet, cell, int64(v))
	case float64:
		return w.f.SetCellFloat(w.sheet, cell, v, -1, 64)
	case string:
		return w.text(cell, v)
	}
	return w.text(cell, string(value.Append(nil, v)))
}

func (w *sheetWriter) text(cell, text string) error {
	if formula, is := strings.CutPrefix(text, "="); is && !w.guard {
		return w.f.SetCellFormula(w.sheet, cell, formula)
	}
	if len(text) > cellText && len(utf16.Encode([]rune(text))) > cellText {
		return errors.New("the text is longer than 32,767 characters and fits into no cell")
	}
	return w.f.SetCellStr(w.sheet, cell, text)
}
