package data_test

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/svcflow/svc/engine/node"
)

// workbook writes a workbook with cells of all types.
func workbook(t testing.TB, dir string) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close() //nolint:errcheck // the workbook was written before
	require.NoError(t, f.SetSheetRow("Sheet1", "A1", &[]any{"name", "n", "born", "at", "ok", "code", "sum", "", "clock", "money"}))
	require.NoError(t, f.SetSheetRow("Sheet1", "A2", &[]any{"Ada", 1.5, time.Date(1915, 12, 10, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 31, 18, 5, 9, 0, time.UTC), true, "007", nil, "x"}))
	require.NoError(t, f.SetSheetRow("Sheet1", "A4", &[]any{"=1+1", 12345678901}))
	style := func(cell string, s excelize.Style, v any) {
		id, err := f.NewStyle(&s)
		require.NoError(t, err)
		require.NoError(t, f.SetCellValue("Sheet1", cell, v))
		require.NoError(t, f.SetCellStyle("Sheet1", cell, cell, id))
	}
	custom, money := `[$-407]d. mmmm yyyy;@`, `#,##0.00 "daily"\d;[Red]-0`
	style("C2", excelize.Style{CustomNumFmt: &custom}, 5823)
	style("I2", excelize.Style{NumFmt: 21}, 0.75)
	style("J2", excelize.Style{CustomNumFmt: &money}, 3.5)
	require.NoError(t, f.SetCellFormula("Sheet1", "G2", "1+1"))
	_, err := f.NewSheet("Other")
	require.NoError(t, err)
	require.NoError(t, f.SetSheetRow("Other", "A1", &[]any{"a", "b"}))
	require.NoError(t, f.SaveAs(filepath.Join(dir, "in.xlsx")))
}

func TestXLSXRead(t *testing.T) {
	h, dir := host(t)
	workbook(t, dir)
	out, err := h.Exec("data.xlsx_read", record{"path": "in.xlsx"}, nil)
	require.NoError(t, err)
	require.Equal(t, record{"sheets": []any{"Sheet1", "Other"}, "count": 2, "warnings": []any{record{
		"line": nil, "item": "Sheet1!G2", "message": "the formula has no saved result; it is null; open the workbook in Excel and save it",
	}}, "rows": []any{
		record{"name": "Ada", "n": 1.5, "born": "1915-12-10", "at": "2026-01-31T18:05:09", "ok": true, "code": "007", "sum": nil, "column8": "x", "clock": "18:00:00", "money": 3.5},
		record{"name": "=1+1", "n": 12345678901, "born": nil, "at": nil, "ok": nil, "code": nil, "sum": nil, "column8": nil, "clock": nil, "money": nil},
	}}, out)
	out, err = h.Exec("data.xlsx_read", record{"path": "in.xlsx", "range": "B2:C4", "header": false, "dates": "serial"}, nil)
	require.NoError(t, err)
	require.Equal(t, []any{record{"column2": 1.5, "column3": 5823}, record{"column2": 12345678901, "column3": nil}}, out["rows"])
	out, err = h.Exec("data.xlsx_read", record{"path": "in.xlsx", "sheet": "Other"}, nil)
	require.NoError(t, err)
	require.Empty(t, out["rows"])

	put(t, dir, "text.xlsx", "a,b\n")
	bomb(t, dir, "bomb.xlsx", "xl/worksheets/sheet1.xml", 300<<20)
	for message, inputs := range map[string]record{
		`there is no sheet "x"; there are Sheet1, Other`: {"path": "in.xlsx", "sheet": "x"},
		`range "A" is none such as A2:D100`:              {"path": "in.xlsx", "range": "A"},
		`range "C1:A2" is none`:                          {"path": "in.xlsx", "range": "C1:A2"},
		"the archive cannot be read":                     {"path": "text.xlsx"},
		"there is no file none.xlsx":                     {"path": "none.xlsx"},
		"unpacks to more than 268435456 bytes":           {"path": "bomb.xlsx"},
	} {
		_, err := h.Exec("data.xlsx_read", nil, inputs)
		require.ErrorContains(t, err, message)
		require.True(t, node.IsPermanent(err))
	}
}

// bomb writes an archive with an entry whose declared size is too small.
func bomb(t testing.TB, dir, name, entry string, size int64) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: entry, Method: zip.Deflate})
	require.NoError(t, err)
	_, err = io.Copy(w, io.LimitReader(zeros{}, size))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestXLSXWrite(t *testing.T) {
	h, dir := host(t)
	rows := []any{record{"name": "Ada", "n": 1, "f": 1.5, "ok": true, "list": []any{1, "x"}, "none": nil}, record{"name": "=1+1", "n": -2}}
	write := func(config record, rows []any) {
		t.Helper()
		out, err := h.Exec("data.xlsx_write", config, record{"rows": rows, "path": "out/a.xlsx"})
		require.NoError(t, err)
		require.Equal(t, record{"path": "out/a.xlsx", "count": len(rows)}, out)
	}
	readBack := func(sheet string) any {
		t.Helper()
		out, err := h.Exec("data.xlsx_read", record{"path": "out/a.xlsx", "sheet": sheet}, nil)
		require.NoError(t, err)
		return out["rows"]
	}
	write(record{"sheet": "People"}, rows)
	first := []any{
		record{"name": "Ada", "n": 1, "f": 1.5, "ok": true, "list": `[1,"x"]`, "none": nil},
		record{"name": "=1+1", "n": -2, "f": nil, "ok": nil, "list": nil, "none": nil},
	}
	require.Equal(t, first, readBack("People"))
	write(record{"sheet": "People", "mode": "append"}, []any{record{"n": 3, "other": 4}})
	require.Len(t, readBack("People"), 3)
	write(record{"sheet": "More", "mode": "append", "columns": []any{"n", "name"}}, rows[:1])
	require.Equal(t, []any{record{"n": 1, "name": "Ada"}}, readBack("More"))
	for range 2 {
		write(record{"sheet": "More", "mode": "sheet"}, []any{record{"x": 1}})
		require.Equal(t, []any{record{"x": 1}}, readBack("More"))
	}
	require.Len(t, readBack("People"), 3)
	write(record{"sheet": "One"}, rows)
	write(record{"sheet": "One", "mode": "sheet"}, []any{record{"x": 1}})
	require.Equal(t, []any{record{"x": 1}}, readBack("One"))
	write(record{"guard": false}, []any{record{"x": "=1+1"}})
	f, err := excelize.OpenFile(filepath.Join(dir, "out/a.xlsx"))
	require.NoError(t, err)
	formula, err := f.GetCellFormula("Sheet1", "A2")
	require.NoError(t, err)
	require.Equal(t, "1+1", formula)
	require.NoError(t, f.Close())

	for message, inputs := range map[string]record{
		"row 2, column 1 (x): the text is longer than 32,767": {"rows": []any{record{"x": strings.Repeat("x", 32_768)}}},
		"cannot be the name of a sheet":                       {"rows": []any{}, "sheet": "a/b"},
		"a sheet has at most":                                 {"rows": []any{}, "columns": slices.Repeat([]any{"x"}, 16_385)},
	} {
		inputs["path"] = "b.xlsx"
		_, err := h.Exec("data.xlsx_write", nil, inputs)
		require.ErrorContains(t, err, message)
	}
	_, err = os.Stat(filepath.Join(dir, "b.xlsx"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func FuzzXLSX(f *testing.F) {
	dir := f.TempDir()
	workbook(f, dir)
	f.Add([]byte(read(f, dir, "in.xlsx")))
	f.Fuzz(func(t *testing.T, content []byte) {
		h, dir := host(t)
		put(t, dir, "in.xlsx", string(content))
		_, _ = h.Exec("data.xlsx_read", record{"path": "in.xlsx"}, nil)
		_, _ = h.Exec("data.xlsx_write", record{"path": "in.xlsx", "mode": "append"}, record{"rows": []any{record{"x": 1}}})
	})
}
