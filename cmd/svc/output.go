package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// outputFlag is the flag of commands that answer people or programs.
type outputFlag struct {
	Output string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"How to answer: text, for people, or json, for programs."`
}

// asJSON reports whether a program reads the answer.
func (f *outputFlag) asJSON() bool { return f.Output == "json" }

// answer prints what a command answers, as JSON or as text.
func (f *outputFlag) answer(h *host, v any, text string) error {
	if f.asJSON() {
		return printJSON(h.stdout, v)
	}
	return h.print(text)
}

// printJSON prints v as programs and people read it.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// table lays cells out in columns.
type table struct {
	b strings.Builder
	w *tabwriter.Writer
}

func newTable(heads ...string) *table {
	t := &table{}
	t.w = tabwriter.NewWriter(&t.b, 0, 0, 2, ' ', 0)
	if len(heads) > 0 {
		t.row(heads...)
	}
	return t
}

// row adds a row. Cells are made to fit a line.
func (t *table) row(cells ...string) {
	for i := range cells {
		cells[i] = oneLine(cells[i])
	}
	fmt.Fprintln(t.w, strings.Join(cells, "\t")) //nolint:errcheck // to memory
}

// text returns the rows.
func (t *table) text() string {
	_ = t.w.Flush() // to memory
	return t.b.String()
}
