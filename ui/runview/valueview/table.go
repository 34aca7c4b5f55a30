package valueview

import (
	"cmp"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

const (
	// sampled is the maximum number of records to search for columns.
	sampled = 1000
	// maxColumns is the maximum number of columns.
	maxColumns = 50
)

// grid is a list of records as a table. Unless columns are wished, they are sorted by name:
// the fields of a record have no order.
type grid struct {
	records []any
	columns []string
	more    int // the number of columns left out
	order   []int
	sorted  int // the sorted column; -1 for none
	falling bool
}

func newGrid(records []any, columns []string) *grid {
	if columns == nil {
		columns = view.Columns(records[:min(len(records), sampled)])
	}
	g := &grid{records: records, columns: columns, sorted: -1}
	if len(g.columns) > maxColumns {
		g.more = len(g.columns) - maxColumns
		g.columns = g.columns[:maxColumns]
	}
	g.restore()
	return g
}

func (g *grid) restore() {
	g.order = make([]int, len(g.records))
	for i := range g.order {
		g.order[i] = i
	}
}

// at returns the value of a cell; given is false if that record has no such field.
func (g *grid) at(row, column int) (v any, given bool) {
	record, _ := g.records[g.order[row]].(map[string]any)
	v, given = record[g.columns[column]]
	return v, given
}

// sortBy sorts the rows by a column: ascending, descending, and then in the original order.
// Sorting is stable.
func (g *grid) sortBy(column int) {
	switch {
	case g.sorted != column:
		g.sorted, g.falling = column, false
	case !g.falling:
		g.falling = true
	default:
		g.sorted, g.falling = -1, false
	}
	g.restore()
	if g.sorted < 0 {
		return
	}
	name := g.columns[column]
	field := func(i int) any {
		record, _ := g.records[i].(map[string]any)
		return record[name]
	}
	slices.SortStableFunc(g.order, func(a, b int) int {
		if g.falling {
			a, b = b, a
		}
		return compare(field(a), field(b))
	})
}

// compare orders values for sorting: missing ones, numbers, strings, and then all others by
// their text.
func compare(a, b any) int {
	x, xRank := sortKey(a)
	y, yRank := sortKey(b)
	if xRank != yRank {
		return cmp.Compare(xRank, yRank)
	}
	if xRank == rankNumber {
		return cmp.Compare(x.number, y.number)
	}
	return strings.Compare(x.text, y.text)
}

const rankNothing, rankNumber, rankText, rankOther = 0, 1, 2, 3

type key struct {
	number float64
	text   string
}

func sortKey(v any) (key, int) {
	switch v := v.(type) {
	case nil:
		return key{}, rankNothing
	case int:
		return key{number: float64(v)}, rankNumber
	case float64:
		return key{number: v}, rankNumber
	case string:
		return key{text: v}, rankText
	case bool:
		return key{text: string(value.Encode(v))}, rankOther
	}
	return key{text: leaf(v)}, rankOther
}

// cell prints the value of a cell. Strings have no quotes.
func cell(v any, given bool) string {
	if !given {
		return ""
	}
	if s, ok := v.(string); ok {
		return oneLine(s)
	}
	return leaf(v)
}
