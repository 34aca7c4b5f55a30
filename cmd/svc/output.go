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

// outputFlag is the flag of commands that print for people or for programs.
type outputFlag struct {
	Output string `enum:"text,json" default:"text" placeholder:"FORMAT" help:"Format of the output: text, for people, or json, for programs."`
}

// asJSON reports whether the answer is for a program.
func (f *outputFlag) asJSON() bool { return f.Output == "json" }

// answer prints the answer of a command, as JSON or as text.
func (f *outputFlag) answer(h *host, v any, text string) error {
	if f.asJSON() {
		return printJSON(h.stdout, v)
	}
	return h.print(text)
}

// printJSON prints v as indented JSON.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// table aligns cells in columns.
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

// row adds a row. Each cell becomes one line.
func (t *table) row(cells ...string) {
	for i := range cells {
		cells[i] = oneLine(cells[i])
	}
	fmt.Fprintln(t.w, strings.Join(cells, "\t")) //nolint:errcheck // to memory
}

// text returns the rows, without the blanks behind an empty last cell.
func (t *table) text() string {
	_ = t.w.Flush() // to memory
	var b strings.Builder
	for line := range strings.Lines(t.b.String()) {
		b.WriteString(strings.TrimRight(line, " \n"))
		b.WriteByte('\n')
	}
	return b.String()
}

func portNames(ports []node.Port) []string {
	names := make([]string, len(ports))
	for i := range ports {
		names[i] = ports[i].Name
	}
	return names
}

// outputsText formats the outputs of a workflow for people: "name: value", in the given
// order. Texts are printed without quotes; a text that is the only output has no name.
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

// appendOutput appends "name:" and v. Media appear as their path, or as the way they will be
// made. A text of several lines begins on a new line.
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

// outputsOf returns the outputs of a node in a run; nil if it has none.
type outputsOf func(nodeID string) map[string]any

// shownText formats the values that the preview nodes of a workflow show, each below the name
// of its node. It ignores nodes in bodies.
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

// wiredInputs returns the inputs of a node: its config, and the values from its wires.
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

// draw writes a view. Control characters in it cannot move the cursor of the terminal.
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

// onTerminal reports whether w is a terminal.
func onTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
