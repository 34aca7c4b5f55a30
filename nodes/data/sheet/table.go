package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/data/columns"
	"github.com/svcflow/svc/nodes/reading"
)

// Column is a column of a table.
type Column struct {
	Name string
	At   int // index in the values of a row
}

// Table names the columns of the rows of a sheet. Columns without a name at the edges, which
// only have a format, belong to it from the first value on.
type Table struct {
	left    int
	header  bool // the next row has the names
	named   bool // the columns have names; otherwise all count
	notes   *reading.Notes
	all     []Column // sorted by At
	known   []bool   // by At: the column is in all
	uniques map[string]bool
}

// NewTable returns the table of a range; nil means the whole sheet. With a header, the first
// row has the names of the columns.
func NewTable(r *Range, header bool, notes *reading.Notes) *Table {
	t := &Table{left: 1, header: header, named: header, notes: notes, uniques: map[string]bool{}}
	if r != nil {
		t.left = r.Left
	}
	return t
}

// Columns returns the columns of the rows so far, in order.
func (t *Table) Columns() []Column { return t.all }

// Fit adds the columns of a row, and returns its values. It reports false for the header.
func (t *Table) Fit(row int, values []any) ([]any, bool) {
	if t.header {
		t.header = false
		t.setNames(row, values)
		return nil, false
	}
	for at := len(t.known); at < len(values); at++ {
		t.known = append(t.known, false)
	}
	for at, v := range values {
		if !t.known[at] && (v != nil || !t.named) {
			t.add(at, "")
		}
	}
	return values, true
}

// setNames takes the names of the columns from the header.
func (t *Table) setNames(row int, values []any) {
	fields := make([]string, len(values))
	for i, v := range values {
		fields[i] = headerText(v)
	}
	names, renamed := columns.Names(fields, t.left)
	for _, r := range renamed {
		t.notes.Repaired(row, columnName(r.Column)+strconv.Itoa(row), "two columns are called %q; this one is %q here", reading.Cut(r.Name), reading.Cut(r.Unique))
	}
	first := slices.IndexFunc(fields, func(s string) bool { return strings.TrimSpace(s) != "" })
	t.known = make([]bool, len(values))
	for at, name := range names {
		if at >= first && first >= 0 {
			t.add(at, name)
		}
	}
}

// headerText returns a value as the name of a column.
func headerText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strings.ToUpper(strconv.FormatBool(v))
	}
	return string(value.Append(nil, v))
}

// add adds the column at, with a unique name.
func (t *Table) add(at int, name string) {
	if name == "" {
		name = "column" + strconv.Itoa(t.left+at)
	}
	unique := name
	for n := 2; t.uniques[unique]; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	t.uniques[unique], t.known[at] = true, true
	i, _ := slices.BinarySearchFunc(t.all, at, func(c Column, at int) int { return cmp.Compare(c.At, at) })
	t.all = slices.Insert(t.all, i, Column{unique, at})
}
