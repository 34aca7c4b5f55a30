package data

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/columns"
)

type xlsxReadIn struct {
	Path   string  `port:"path" widget:"file" doc:"The workbook, below the files folder on a server."`
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
		"Reads a sheet of an Excel workbook: a header `name`, `born` and a row below give `{\"name\":\"Ada\",\"born\":\"1815-12-10\"}`. Numbers, true and false are what they are, " +
			"dates ISO 8601 texts, formulas what they gave when the workbook was saved; empty cells are null, and rows without any value are passed over.\n\n" +
			"A cell that holds an error such as `#DIV/0!` is that text. At most 1,000,000 rows come in one piece, and what a workbook unpacks to is bounded.").
		Timeout(transferTimeout)
	return withTypes(n, map[string]string{"rows": "list<record>"})
}

func (d disk) xlsxRead(ctx context.Context, in xlsxReadIn) (out xlsxReadOut, err error) {
	f, err := d.openWorkbook(ctx, in.Path)
	if err != nil {
		return out, err
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	out.Sheets = f.GetSheetList()
	if len(out.Sheets) == 0 {
		return out, wrong("there is no sheet in the workbook")
	}
	sheet := out.Sheets[0]
	if in.Sheet != nil {
		if i, err := f.GetSheetIndex(*in.Sheet); err != nil || i < 0 {
			return out, wrong("there is no sheet %q; there are %s", cut(*in.Sheet), cut(strings.Join(out.Sheets, ", ")))
		}
		sheet = *in.Sheet
	}
	r := sheetReader{ctx: ctx, f: f, sheet: sheet, dates: in.Dates == "iso", styles: map[int]bool{}}
	if err := r.setRange(in.Range); err != nil {
		return out, err
	}
	if out.Rows, err = r.rows(in.Header); err != nil {
		return out, err
	}
	out.Count = len(out.Rows)
	return out, bounded(out.Rows)
}

// openWorkbook opens a workbook, whose unpacked size is limited.
func (d disk) openWorkbook(ctx context.Context, path string) (*excelize.File, error) {
	file, size, err := d.openFile(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // opened for reading only
	if size > maxText {
		return nil, tooMuch("the workbook has %d bytes; at most %d can be read", size, maxText)
	}
	if err := checkArchive(ctx, file, size, limit.Unpacked); err != nil {
		return nil, err
	}
	if err := node.Hold(ctx, 3*int(size)); err != nil {
		return nil, err
	}
	f, err := excelize.OpenReader(file, excelize.Options{RawCellValue: true, UnzipSizeLimit: limit.Unpacked, UnzipXMLSizeLimit: limit.Unpacked})
	switch {
	case errors.Is(err, excelize.ErrWorkbookFileFormat):
		return nil, wrong("%q is no XLSX workbook", path)
	case err != nil:
		return nil, wrong("the workbook %q cannot be read: %s", path, err)
	}
	return f, nil
}

// sheetReader converts the rows of a sheet to records.
type sheetReader struct {
	ctx   context.Context
	f     *excelize.File
	sheet string
	dates bool

	left, top, right, bottom int // from 1; a right or bottom of 0 means no limit

	styles map[int]bool // whether a style shows a date, by style
}

func (r *sheetReader) setRange(text *string) error {
	r.left, r.top = 1, 1
	if text == nil {
		return nil
	}
	from, to, _ := strings.Cut(*text, ":")
	if to == "" {
		to = from
	}
	var err error
	if r.left, r.top, err = excelize.CellNameToCoordinates(from); err == nil {
		r.right, r.bottom, err = excelize.CellNameToCoordinates(to)
	}
	if err != nil || r.right < r.left || r.bottom < r.top {
		return wrong("range %q is none such as A2:D100", cut(*text))
	}
	return nil
}

func (r *sheetReader) rows(header bool) ([]any, error) {
	iterator, err := r.f.Rows(r.sheet)
	if err != nil {
		return nil, wrong("the sheet %q cannot be read: %s", cut(r.sheet), err)
	}
	defer iterator.Close() //nolint:errcheck // opened for reading only
	var names []string
	rows, weight := []any{}, 0
	for at := 1; iterator.Next() && (r.bottom == 0 || at <= r.bottom); at++ {
		cells, err := iterator.Columns()
		if err != nil {
			return nil, wrong("row %d of %q cannot be read: %s", at, cut(r.sheet), err)
		}
		if at < r.top {
			continue
		}
		cells = r.within(cells)
		if len(cells) > limit.TableColumns {
			return nil, tooMuch("row %d: there are more than %d columns", at, limit.TableColumns)
		}
		if header && names == nil {
			names, _ = columns.Names(cells, r.left)
			continue
		}
		record, size, err := r.record(at, cells, &names)
		if err != nil {
			return nil, err
		}
		if record == nil {
			continue
		}
		if rows = append(rows, record); len(rows) > limit.TableRows {
			return nil, tooMuch("there are more than %d rows; read a part of them by range", limit.TableRows)
		}
		if weight += size; weight > holdEvery {
			if err := errors.Join(r.ctx.Err(), node.Hold(r.ctx, weight)); err != nil {
				return nil, err
			}
			weight = 0
		}
	}
	if err := iterator.Error(); err != nil {
		return nil, wrong("the sheet %q cannot be read: %s", cut(r.sheet), err)
	}
	return rows, nil
}

// within returns the cells between the columns left and right.
func (r *sheetReader) within(cells []string) []string {
	if len(cells) < r.left {
		return nil
	}
	if r.right > 0 && len(cells) > r.right {
		cells = cells[:r.right]
	}
	return cells[r.left-1:]
}

// record converts a row to a record; nil if all cells are empty.
func (r *sheetReader) record(row int, cells []string, names *[]string) (record map[string]any, size int, err error) {
	if strings.Join(cells, "") == "" {
		return nil, 0, nil
	}
	for i := len(*names); i < len(cells); i++ { // a row may be longer than the header
		*names = append(*names, "column"+strconv.Itoa(r.left+i))
	}
	record = make(map[string]any, len(*names))
	for i, name := range *names {
		if record[name] = nil; i < len(cells) {
			if record[name], err = r.cell(cells[i], r.left+i, row); err != nil {
				return nil, 0, err
			}
			size += len(cells[i])
		}
	}
	return record, size + value.RecordWeight(len(record)) + 32*len(record), nil
}

func (r *sheetReader) cell(raw string, column, row int) (any, error) {
	if raw == "" {
		return nil, nil
	}
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') && raw != "TRUE" && raw != "FALSE" {
		return strings.ToValidUTF8(raw, "\uFFFD"), nil
	}
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return nil, tooMuch("row %d: %s", row, err)
	}
	kind, err := r.f.GetCellType(r.sheet, name)
	if err != nil {
		return nil, wrong("cell %s of %q cannot be read: %s", name, cut(r.sheet), err)
	}
	switch kind {
	case excelize.CellTypeBool:
		return raw == "1" || raw == "TRUE", nil
	case excelize.CellTypeUnset, excelize.CellTypeNumber, excelize.CellTypeFormula:
		return r.number(raw, name)
	}
	return strings.ToValidUTF8(raw, "\uFFFD"), nil
}

// number converts a cell to a number, or to a date if its style shows one.
func (r *sheetReader) number(raw, name string) (any, error) {
	n, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return strings.ToValidUTF8(raw, "\uFFFD"), nil // a text that is the result of a formula
	}
	if r.dates {
		style, err := r.f.GetCellStyle(r.sheet, name)
		if err != nil {
			return nil, wrong("cell %s of %q cannot be read: %s", name, cut(r.sheet), err)
		}
		if r.isDate(style) {
			return r.date(n), nil
		}
	}
	if whole, err := strconv.Atoi(raw); err == nil {
		return whole, nil
	}
	return n, nil
}
