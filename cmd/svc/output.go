package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
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

func portNames(ports []node.Port) []string {
	names := make([]string, len(ports))
	for i := range ports {
		names[i] = ports[i].Name
	}
	return names
}

// outputsText words the outputs of a workflow for people: "name: value", in the
// given order. A text is printed as it is, and alone if it is the only output.
func outputsText(outputs map[string]any, order []string) []byte {
	if len(order) == 1 {
		if text, ok := outputs[order[0]].(string); ok {
			return append([]byte(text), '\n')
		}
	}
	var b []byte
	for _, name := range order {
		if v, ok := outputs[name]; ok {
			b = append(append(b, name...), ':')
			b = append(appendOutput(b, v), '\n')
		}
	}
	return b
}

// appendOutput appends v behind "name:"; media as where it is, or how it will be made. A text of several lines gets lines of
// its own.
func appendOutput(b []byte, v any) []byte {
	text, ok := v.(string)
	if d := view.Of(v, view.Wish{Kind: view.Media}); d.Kind == view.Media {
		text, ok = d.Text, true
	}
	switch {
	case !ok:
		return value.Append(append(b, ' '), v)
	case !strings.Contains(text, "\n"):
		return append(append(b, ' '), text...)
	}
	for line := range strings.Lines(text) {
		b = append(append(b, "\n  "...), strings.TrimSuffix(line, "\n")...)
	}
	return b
}

// outputsOf returns what a node of a run has put out; nil if nothing.
type outputsOf func(nodeID string) map[string]any

// shownText draws what the nodes of a workflow are there to show, as people read it on a
// terminal, each below its name. Those in bodies show nothing.
func shownText(def *workflow.Definition, specs []*node.Spec, outputs outputsOf) []byte {
	shows := map[string]node.Shows{}
	for _, s := range specs {
		shows[s.Type] = s.Shows
	}
	var b bytes.Buffer
	for i := range def.Nodes {
		n := &def.Nodes[i]
		s := shows[n.Type]
		v, given := outputs(n.ID)[s.Port]
		if s.Port == "" || !given {
			continue
		}
		name := n.Label
		if name == "" {
			name = n.ID
		}
		b.WriteString("\n" + oneLine(name) + ":\n")
		draw(&b, view.Of(v, s.Wish(wiredInputs(def, n, outputs))))
	}
	return b.Bytes()
}

// wiredInputs returns what a node got: what it is set to, and what came by its wires.
func wiredInputs(def *workflow.Definition, n *workflow.Node, outputs outputsOf) map[string]any {
	inputs := map[string]any{}
	maps.Copy(inputs, n.Config)
	for _, c := range def.Connections {
		if c.ToNodeID != n.ID {
			continue
		}
		if v, given := outputs(c.FromNodeID)[c.FromPort]; given {
			inputs[c.ToPort] = v
		}
	}
	return inputs
}

// draw writes a view. Nothing in it can move the cursor of the terminal.
func draw(b *bytes.Buffer, v view.View) {
	switch v.Kind {
	case view.Table:
		table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, row := range append([][]string{v.Columns}, v.Rows...) {
			cells := make([]string, len(row))
			for i, cell := range row {
				cells[i] = program.Inert(cell)
			}
			_, _ = io.WriteString(table, strings.TrimRight("  "+strings.Join(cells, "\t"), "\t")+"\n") // to memory
		}
		_ = table.Flush() // as well
	case view.Media:
		b.WriteString("  " + oneLine(v.Text) + "\n")
	case view.Picture:
		b.WriteString("  " + oneLine(v.Picture.Path+v.Picture.URL) + "\n")
	default:
		for line := range strings.Lines(v.Text) {
			b.WriteString("  " + program.Inert(strings.TrimSuffix(line, "\n")) + "\n")
		}
	}
	if v.Cut {
		b.WriteString("  … and more\n")
	}
}

// onTerminal reports whether somebody reads what is written to w as it is.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
