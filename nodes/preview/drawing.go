package preview

import (
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// Kind is how a value is drawn.
type Kind string

// The kinds of drawings.
const (
	KindText     Kind = "text"     // Text, as it is
	KindJSON     Kind = "json"     // Text, which is JSON, indented unless that makes it too long
	KindMarkdown Kind = "markdown" // Text in Markdown; raw HTML in it is shown as text, never interpreted
	KindTable    Kind = "table"    // Columns and Rows
	KindImage    Kind = "image"    // Image
)

// Drawing says how to draw what passes through a preview node. It is data only,
// so that every face can draw it, and inert: a face runs nothing that is in it.
type Drawing struct {
	Kind    Kind
	Text    string
	Columns []string
	Rows    [][]string // of texts, a cell for each column
	Image   value.Media
	// Cut says that there is more than the drawing shows.
	Cut bool
}

// What a drawing holds at most.
const (
	maxText    = 1 << 20 // bytes
	maxRows    = 1000
	maxColumns = 100
)

// Draw says how to draw a node of type typ that ran with these inputs. It is
// false for nodes that draw nothing.
func Draw(typ string, inputs map[string]any) (Drawing, bool) {
	switch typ {
	case "preview.view":
		as, _ := inputs["as"].(string)
		return drawValue(inputs["value"], as), true
	case "preview.table":
		rows, _ := inputs["rows"].([]any)
		columns, _ := inputs["columns"].([]any)
		return drawTable(rows, columns), true
	case "preview.image":
		image, err := imageOf(inputs["source"])
		return Drawing{Kind: KindImage, Image: image}, err == nil
	}
	return Drawing{}, false
}

func drawValue(v any, as string) Drawing {
	text, isText := v.(string)
	switch {
	case isText && as == "markdown":
		return cut(Drawing{Kind: KindMarkdown, Text: text})
	case isText && as != "json":
		return cut(Drawing{Kind: KindText, Text: text})
	}
	kind := KindJSON
	if as == "text" {
		kind = KindText
	}
	json, ok := value.AppendMax(nil, v, maxText)
	if !ok {
		return Drawing{Kind: KindText, Text: "The value is too long to show.", Cut: true}
	}
	if indented, ok := value.IndentJSONMax(nil, json, maxText); ok {
		json = indented
	}
	return Drawing{Kind: kind, Text: string(json)}
}

// cut shortens a long text, between two characters.
func cut(d Drawing) Drawing {
	if d.Cut = len(d.Text) > maxText; d.Cut {
		d.Text = strings.ToValidUTF8(d.Text[:maxText], "")
	}
	return d
}

func drawTable(rows, columns []any) Drawing {
	d := Drawing{Kind: KindTable, Cut: len(rows) > maxRows}
	rows = rows[:min(len(rows), maxRows)]
	if d.Columns = named(columns); columns == nil {
		d.Columns = allColumns(rows)
	}
	if len(d.Columns) > maxColumns {
		d.Columns, d.Cut = d.Columns[:maxColumns], true
	}
	for _, row := range rows {
		record, _ := row.(map[string]any)
		cells := make([]string, len(d.Columns))
		for i, name := range d.Columns {
			var whole bool
			cells[i], whole = cell(record[name])
			d.Cut = d.Cut || !whole
		}
		d.Rows = append(d.Rows, cells)
	}
	return d
}

func named(columns []any) []string {
	var names []string
	for _, c := range columns {
		if name, ok := c.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// allColumns returns the fields that any of the rows has, sorted.
func allColumns(rows []any) []string {
	names := map[string]bool{}
	for _, row := range rows {
		record, _ := row.(map[string]any)
		for name := range record {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// maxCell is how much of a value a cell shows, in bytes.
const maxCell = 1000

// cell returns the text of a cell, and whether that is all of the value.
func cell(v any) (text string, whole bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		if len(v) > maxCell {
			return strings.ToValidUTF8(v[:maxCell], "") + "…", false
		}
		return v, true
	}
	short, ok := value.AppendMax(nil, v, maxCell)
	if !ok {
		return "…", false
	}
	return string(short), true
}
