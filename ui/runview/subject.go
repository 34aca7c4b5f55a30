package runview

import (
	"slices"

	"github.com/svcflow/svc/engine/fold"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/editor/doc"
)

// Subject is the node whose values [Output] shows. The zero Subject is the workflow itself.
type Subject struct {
	Path            string // "loop/fmt"
	Title           string
	Inputs, Outputs []node.Port
	Config          map[string]any
	Shows           node.Shows
	Sources         map[string][]Source // input port → sources of its wires
}

// Source is an output port of a node on the same level.
type Source struct{ ID, Port string }

// SubjectOf returns the node with an id on the open level of a document; ok is false without
// such a node.
func SubjectOf(d *doc.Document, id string) (s Subject, ok bool) {
	n, ok := d.Node(id)
	if !ok {
		return Subject{}, false
	}
	inputs, outputs, err := d.Ports(id)
	if err != nil {
		return Subject{}, false
	}
	s = Subject{
		Path: fold.Join(d.Path(), id), Title: titleOf(d, n),
		Inputs: inputs, Outputs: outputs, Config: n.Config, Sources: map[string][]Source{},
	}
	if spec, known := d.Specs().Lookup(n.Type); known {
		s.Shows = spec.Shows
	}
	for _, c := range d.Connections() {
		if c.ToNodeID == id {
			s.Sources[c.ToPort] = append(s.Sources[c.ToPort], Source{c.FromNodeID, c.FromPort})
		}
	}
	return s, true
}

// SubjectAt is SubjectOf for a node of any level: "loop/fmt".
func SubjectAt(d *doc.Document, path string) (s Subject, ok bool) {
	containers, id := fold.Split(path)
	if slices.Equal(containers, d.Path()) {
		return SubjectOf(d, id)
	}
	other, err := d.At(containers)
	if err != nil {
		return Subject{}, false
	}
	return SubjectOf(other, id)
}

func titleOf(d *doc.Document, n *workflow.Node) string {
	if card, ok := d.Card(n.ID); ok {
		return card.Title()
	}
	return n.ID
}
