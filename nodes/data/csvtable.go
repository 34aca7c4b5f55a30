package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// csvTable converts rows to records.
type csvTable struct {
	in      *csvIn
	reader  *csvReader
	names   []string // of all columns in the file
	at      []int    // the selected columns, as indexes of names
	columns []string // names of the selected columns

	count int
	bad   []any
	each  int // memory of a row without its texts, in bytes
	held  int // reserved memory of the current rows
}

// table returns a table that reads r. It reads the header.
func (in *csvIn) table(r io.Reader) (*csvTable, error) {
	c, err := in.open(r)
	if err != nil {
		return nil, err
	}
	t := &csvTable{in: in, reader: c, bad: []any{}}
	if !in.Header {
		t.setNames(in.Columns)
		return t, nil
	}
	first, err := c.row()
	if errors.Is(err, io.EOF) {
		return t, nil
	}
	if err != nil {
		return nil, worded(err)
	}
	t.setNames(headerNames(first))
	return t, t.choose(in.Columns)
}

// setNames sets the names of all columns.
func (t *csvTable) setNames(names []string) {
	t.names, t.at = slices.Clone(names), t.at[:0]
	for i := range t.names {
		t.at = append(t.at, i)
	}
	t.columns = t.names
	t.each = value.RecordWeight(len(t.columns)) + 32*len(t.columns)
}

// choose selects columns.
func (t *csvTable) choose(columns []string) error {
	if columns == nil {
		return nil
	}
	t.at, t.columns = t.at[:0], columns
	for _, name := range columns {
		i := slices.Index(t.names, name)
		if i < 0 {
			return wrong("there is no column %q; there are %s", cut(name), cut(strings.Join(t.names, ", ")))
		}
		t.at = append(t.at, i)
	}
	return nil
}

// headerNames returns unique, non-empty names for the fields of a first row.
func headerNames(fields []string) []string {
	names, taken := make([]string, len(fields)), map[string]bool{}
	for i, field := range fields {
		name := strings.ToValidUTF8(strings.TrimSpace(field), "\uFFFD")
		if name == "" {
			name = "column" + strconv.Itoa(i+1)
		}
		unique := name
		for n := 2; taken[unique]; n++ {
			unique = name + "_" + strconv.Itoa(n)
		}
		names[i], taken[unique] = unique, true
	}
	return names
}

// rows reads up to n rows; fewer at the end.
func (t *csvTable) rows(ctx context.Context, n int) ([]any, error) {
	if t.in.Limit != nil {
		n = min(n, *t.in.Limit-t.count)
	}
	rows := make([]any, 0, min(max(n, 0), 1000))
	weight := 0
	for len(rows) < n {
		fields, err := t.reader.row()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = t.judge(fields)
		}
		if err != nil {
			if err := t.refuse(err); err != nil {
				return nil, err
			}
			continue
		}
		record := make(map[string]any, len(t.at))
		for i, at := range t.at {
			weight += len(fields[at])
			record[t.columns[i]] = t.value(fields[at])
		}
		rows = append(rows, record)
		if weight += t.each; weight > holdEvery {
			if err := node.Hold(ctx, weight); err != nil {
				return nil, err
			}
			t.held, weight = t.held+weight, 0
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
	}
	t.count += len(rows)
	return rows, nil
}

// holdEvery is how many bytes of the run's memory are reserved at a time.
const holdEvery = 256 << 10

func (t *csvTable) value(field string) any {
	if t.in.Types == "guess" {
		return guess(field)
	}
	return field
}

// judge returns an error if a row does not fit the columns.
func (t *csvTable) judge(fields []string) error {
	if t.names == nil { // without a header the first row sets the number of columns
		if len(fields) > limit.TableColumns {
			return fmt.Errorf("%w: line %d: there are more than %d columns", errRowTooLong, t.reader.line, limit.TableColumns)
		}
		t.setNames(headerNames(make([]string, len(fields))))
	}
	if len(fields) != len(t.names) {
		return &rowError{t.reader.line, fmt.Sprintf("there are %d fields, and %d columns", len(fields), len(t.names))}
	}
	for i, field := range fields {
		if !utf8.ValidString(field) {
			return &rowError{t.reader.line, fmt.Sprintf("column %d (%s): it is no UTF-8; set encoding", i+1, cut(t.names[i]))}
		}
	}
	return nil
}

// refuse records a malformed row, or returns the error that ends the reading.
func (t *csvTable) refuse(err error) error {
	row, ok := errors.AsType[*rowError](err)
	if !ok || t.in.OnBadRow != "skip" {
		return worded(err)
	}
	if len(t.bad) >= limit.Problems {
		return tooMuch("more than %d rows are bad, the last at line %d: %s; are the delimiter and the header right?", limit.Problems, row.line, row.message)
	}
	t.bad = append(t.bad, map[string]any{"line": row.line, "message": row.message})
	return nil
}

// worded converts an error of the reader to a node error.
func worded(err error) error {
	switch {
	case errors.Is(err, errRowTooLong):
		return tooMuch("%s", strings.TrimPrefix(err.Error(), errRowTooLong.Error()+": "))
	case errors.As(err, new(*rowError)):
		return wrong("%w", err)
	case errors.As(err, new(*node.Error)):
		return err
	}
	return readFailure(err)
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
