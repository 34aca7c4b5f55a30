package data_test

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zip"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// create writes a file of dir with write, and returns its size.
func create(b *testing.B, dir, name string, write func(io.Writer) error) int64 {
	b.Helper()
	f, err := os.Create(filepath.Join(dir, name))
	require.NoError(b, err)
	require.NoError(b, write(f))
	info, err := f.Stat()
	require.NoError(b, err)
	require.NoError(b, f.Close())
	return info.Size()
}

// orders writes rows of CSV.
func orders(w io.Writer, rows int) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"id", "name", "city", "amount", "at", "note"})
	for i := range rows {
		_ = c.Write([]string{fmt.Sprint(i), "Ada King", "London, England", fmt.Sprint(i%1000, ".75"), "2026-01-31T18:05:09Z", `paid "by transfer"`})
	}
	c.Flush()
	return c.Error()
}

// BenchmarkReadTables measures the nodes that read tables and archives, per byte of input.
func BenchmarkReadTables(b *testing.B) {
	h, dir := host(b)
	run := func(name, node, file string, size int64, config record) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				_, err := h.Exec(node, config, record{"path": file})
				require.NoError(b, err)
			}
		})
	}
	size := create(b, dir, "quoted.csv", func(w io.Writer) error { return orders(w, 50_000) })
	run("csv-quoted", "data.csv_parse", "quoted.csv", size, nil)
	size = create(b, dir, "plain.csv", func(w io.Writer) error {
		_, err := io.WriteString(w, "id,name,city,note\n"+strings.Repeat("1234,Ada King,London,paid by transfer on the first of the month\n", 50_000))
		return err
	})
	run("csv-plain", "data.csv_parse", "plain.csv", size, nil)
	run("csv-guess", "data.csv_parse", "plain.csv", size, record{"types": "guess"})
	size = create(b, dir, "book.xlsx", book)
	run("xlsx", "data.xlsx_read", "book.xlsx", size, nil)
	size = create(b, dir, "a.zip", func(w io.Writer) error {
		z := zip.NewWriter(w)
		for i := range 20 {
			f, err := z.Create(fmt.Sprintf("d/%d.csv", i))
			if err != nil {
				return err
			}
			if err := orders(f, 2_000); err != nil {
				return err
			}
		}
		return z.Close()
	})
	run("zip", "data.zip_extract", "a.zip", size, record{"dir": "out"})
	size = create(b, dir, "a.gz", func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := orders(z, 50_000); err != nil {
			return err
		}
		return z.Close()
	})
	run("gzip", "data.gunzip", "a.gz", size, record{"to": "out.csv"})
}

// book writes a workbook with texts, numbers, dates and booleans.
func book(w io.Writer) error {
	f := excelize.NewFile()
	defer f.Close() //nolint:errcheck // nothing was opened
	s, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		return err
	}
	style, err := f.NewStyle(&excelize.Style{NumFmt: 22})
	if err != nil {
		return err
	}
	_ = s.SetRow("A1", []any{"id", "name", "at", "amount", "paid", "note"})
	at := time.Date(2026, 1, 31, 18, 5, 9, 0, time.UTC)
	for i := range 20_000 {
		cell := fmt.Sprint("A", i+2)
		if err := s.SetRow(cell, []any{i, "Ada King", excelize.Cell{StyleID: style, Value: at}, float64(i) + 0.75, i%2 == 0, fmt.Sprint("order ", i)}); err != nil {
			return err
		}
	}
	if err := s.Flush(); err != nil {
		return err
	}
	return f.Write(w)
}
