package main

import (
	"bytes"
	"io"
	"maps"
	"os"
	"strings"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value/view"
	"github.com/svcflow/svc/engine/workflow"
)

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
