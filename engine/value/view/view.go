// Package view says how a value is to be shown, once for all faces: the window, the run
// page (which has the same rules in JavaScript, held against the vectors in testdata) and
// the command line. A [View] is data only and inert: a face runs nothing that is in it.
package view

import (
	"maps"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// Kind is a way to show a value.
type Kind string

// The kinds. A value that cannot be shown in the kind that is wished for is shown in the
// one that suits it.
const (
	Auto     Kind = "auto"     // what suits the value: text as text, media as media, everything else as JSON
	Text     Kind = "text"     // Text, as it is
	JSON     Kind = "json"     // Text, which is JSON, indented unless that makes it too long
	Markdown Kind = "markdown" // Text in Markdown; raw HTML in it is shown as text, never interpreted
	Table    Kind = "table"    // Columns and Rows
	Picture  Kind = "picture"  // Picture
	Media    Kind = "media"    // Media, and Text, which says what it is
)

// Wish is how somebody wants a value shown. The zero Wish is [Auto].
type Wish struct {
	Kind    Kind
	Columns []string // of a table, from left to right; nil for all fields, sorted
}

// View is a value as it is to be shown. Its zero value shows nothing.
type View struct {
	Kind    Kind        `json:"kind"`
	Text    string      `json:"text,omitzero"`
	Columns []string    `json:"columns,omitzero"`
	Rows    [][]string  `json:"rows,omitzero"` // of texts, a cell for each column
	Picture value.Media `json:"picture,omitzero"`
	Media   value.Media `json:"media,omitzero"` // without a recipe
	// Cut says that there is more than the view shows.
	Cut bool `json:"cut,omitzero"`
}

// What a view holds at most.
const (
	maxText    = 1 << 20 // bytes
	maxRows    = 1000
	maxColumns = 100
)

// Of returns how a value is to be shown.
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

// cut shortens a long text, between two characters.
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

// Columns returns the fields that any of some records has, sorted: the fields of a record
// have no order.
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
