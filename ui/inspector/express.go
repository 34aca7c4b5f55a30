package inspector

import (
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/editor/doc"
)

// express has the value of an input made by an expression, which is a node of its own. It is
// about what the node gets already, else about the value that there was, and is shown to be
// written.
func (d *desk) express(port string) {
	doc := d.subject.doc
	to := cards.PortRef{Node: d.subject.id, Port: port}
	from, text := cards.PortRef{}, "."
	for _, w := range doc.Connections() {
		if w.ToNodeID == to.Node && w.FromPort[0] != '$' {
			from = cards.PortRef{Node: w.FromNodeID, Port: w.FromPort, Output: true}
			break
		}
	}
	if n, ok := doc.Node(to.Node); ok && from.Node != "" {
		if had, given := n.Config[port]; given {
			text = string(value.Append(nil, had))
		}
	}
	d.derive(to, from, text)
}

// derive makes a node of an expression and goes to its text.
func (d *desk) derive(to, from cards.PortRef, text string) {
	d.seal()
	id := ""
	err := d.edit(func(doc *doc.Document) (err error) {
		id, err = doc.Derive(to, from, text)
		return err
	})
	if err != nil {
		d.cfg.Refused(err)
		return
	}
	by := d.subject.doc.Specs().Expresses().Derives.By
	d.show(id)
	d.Focus(by)
}
