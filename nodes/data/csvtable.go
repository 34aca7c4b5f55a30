package data

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/csvtext"
	"github.com/svcflow/svc/nodes/reading"
)

// csvIn holds the inputs that all nodes that read CSV share.
type csvIn struct {
	reading.Source

	Header    bool     `port:"header" default:"true" doc:"Whether the first row has the names of the columns."`
	Columns   []string `port:"columns,optional" doc:"With a header: the columns to take. Without: what to call them, in order."`
	Delimiter string   `port:"delimiter" default:"auto" doc:"The character between fields: one character, tab, or auto for the one that splits most rows alike."`
	Quote     string   `port:"quote" default:"\"" doc:"The character around fields with line ends or delimiters in them."`
	Types     string   `port:"types" enum:"text|guess" default:"text" doc:"text leaves all values as they are; guess makes numbers, true, false and null of those that look like it."`
	Skip      int      `port:"skip" default:"0" doc:"How many lines to leave out at the beginning."`
	Limit     *int     `port:"limit,optional" doc:"How many rows to read at most; all if it is not given."`
}

// csvTable converts rows to records.
type csvTable struct {
	*csvtext.Table

	in    *csvIn
	notes *reading.Notes
	count int
	held  int // reserved memory of the current rows
}

// table returns a table that reads r. It reads the header.
func (in *csvIn) table(ctx context.Context, r io.Reader) (*csvTable, error) {
	if in.Limit != nil && *in.Limit < 0 {
		return nil, reading.Invalid("limit cannot be negative")
	}
	notes := reading.NotesOf(ctx)
	t, err := csvtext.Open(r, csvtext.Options{
		Header: in.Header, Columns: in.Columns, Delimiter: in.Delimiter, Quote: in.Quote, Skip: in.Skip, Decoded: in.Text == nil,
	}, notes)
	return &csvTable{Table: t, in: in, notes: notes}, err
}

// rows reads up to n rows; fewer at the end. It fails at a dropped row if the workflow does
// not accept that.
func (t *csvTable) rows(ctx context.Context, n int) ([]any, error) {
	if t.in.Limit != nil {
		n = min(n, *t.in.Limit-t.count)
	}
	rows := make([]any, 0, min(max(n, 0), 1000))
	weight := 0
	for len(rows) < n {
		fields, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if fields == nil {
			if err := errors.Join(t.notes.Err(), ctx.Err()); err != nil {
				return nil, err
			}
			continue
		}
		record, size := t.record(fields)
		rows = append(rows, record)
		if weight += size; weight > holdEvery {
			if err := errors.Join(ctx.Err(), node.Hold(ctx, weight)); err != nil {
				return nil, err
			}
			t.held, weight = t.held+weight, 0
		}
	}
	t.count += len(rows)
	return rows, t.notes.Err()
}

// holdEvery is how many bytes of the run's memory are reserved at a time.
const holdEvery = 256 << 10

// record returns a row as a record, and its size in memory.
func (t *csvTable) record(fields []string) (record map[string]any, size int) {
	names := t.Columns()
	record = make(map[string]any, len(names))
	for i, field := range fields {
		size += len(field)
		if t.in.Types == "guess" {
			record[names[i]] = guess(field)
		} else {
			record[names[i]] = field
		}
	}
	return record, size + value.RecordWeight(len(names)) + 32*len(names)
}

// guess converts a field to the type that it looks like. Digits after a leading zero are a text,
// since they may be a telephone number or a postcode.
func guess(field string) any {
	switch field {
	case "":
		return nil
	case "true", "TRUE", "True":
		return true
	case "false", "FALSE", "False":
		return false
	}
	if first := field[0]; first != '-' && (first < '0' || first > '9') || len(field) > 32 {
		return field
	}
	digits := strings.TrimPrefix(field, "-")
	if strings.Trim(digits, "0123456789.eE+-") != "" || len(digits) > 1 && digits[0] == '0' && digits[1] != '.' {
		return field
	}
	if n, err := strconv.Atoi(field); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(field, 64); err == nil && strings.ContainsAny(digits, ".eE") {
		return f
	}
	return field
}
