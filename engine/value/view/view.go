// Package view decides how a value is shown, for all user interfaces: the window, the
// command line, and the run page, which has the same rules in JavaScript; the vectors in
// testdata test both. A [View] is plain data: a user interface executes nothing in it.
package view

import (
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// Kind is a way to show a value.
type Kind string

// The kinds. A value that does not fit the wished kind is shown in the kind that suits it.
const (
	Auto     Kind = "auto"     // the kind that suits the value: text as text, media as media, everything else as JSON
	Text     Kind = "text"     // Text, unchanged
	JSON     Kind = "json"     // Text, which is JSON, indented unless that makes it too long
	Markdown Kind = "markdown" // Text as Markdown; raw HTML in it is shown as text, never interpreted
	Table    Kind = "table"    // Columns and Rows
	Picture  Kind = "picture"  // Picture
	Media    Kind = "media"    // Media, and Text, which describes it
)

// Wish is the way a user wants to see a value. The zero Wish is [Auto].
type Wish struct {
	Kind    Kind
	Columns []string // of a table, from left to right; nil for all fields, sorted
}

// View is a value prepared for showing. The zero value shows nothing.
type View struct {
	Kind    Kind        `json:"kind"`
	Text    string      `json:"text,omitzero"`
	Columns []string    `json:"columns,omitzero"`
	Rows    [][]string  `json:"rows,omitzero"` // a cell for each column
	Picture value.Media `json:"picture,omitzero"`
	Media   value.Media `json:"media,omitzero"` // without a recipe
	// Cut means that the value has more than the view shows.
	Cut bool `json:"cut,omitzero"`
}

// Limits of a view.
const (
	maxText    = 1 << 20 // bytes
	maxRows    = 1000
	maxColumns = 100
)

// Of returns the view of a value.
func Of(v any, w Wish) View {
	switch w.Kind {
	case Table:
		if rows, ok := v.([]any); ok {
			return tableOf(rows, w.Columns)
		}
	case Picture:
		if picture, err := PictureOf(v); err == nil {
			return View{Kind: Picture, Picture: picture}
		}
	case Auto, Media:
		if d, ok := mediaOf(v); ok {
			return d
		}
	case Markdown, Text, JSON:
	}
	text, isText := v.(string)
	switch {
	case isText && w.Kind == Markdown:
		return cut(View{Kind: Markdown, Text: text})
	case isText && w.Kind != JSON:
		return cut(View{Kind: Text, Text: text})
	}
	return jsonOf(v, w.Kind)
}

func jsonOf(v any, wished Kind) View {
	kind := JSON
	if wished == Text {
		kind = Text
	}
	json, ok := value.AppendMax(nil, v, maxText)
	if !ok {
		return View{Kind: Text, Text: "The value is too long to show.", Cut: true}
	}
	if indented, ok := value.IndentJSONMax(nil, json, maxText); ok {
		json = indented
	}
	return View{Kind: kind, Text: string(json)}
}

// cut shortens a long text at a character boundary.
func cut(d View) View {
	if d.Cut = len(d.Text) > maxText; d.Cut {
		d.Text = strings.ToValidUTF8(d.Text[:maxText], "")
	}
	return d
}

func tableOf(rows []any, columns []string) View {
	d := View{Kind: Table, Columns: columns, Cut: len(rows) > maxRows}
	rows = rows[:min(len(rows), maxRows)]
	if columns == nil {
		d.Columns = Columns(rows)
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

// Columns returns the names of all fields in the records of rows, sorted, because the
// fields of a record have no order.
func Columns(rows []any) []string {
	names := map[string]bool{}
	for _, row := range rows {
		record, _ := row.(map[string]any)
		for name := range record {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// maxCell is the maximum length of a cell, in bytes.
const maxCell = 1000

// cell returns the text of a cell, and whether it is the whole value.
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
