package inspector

import (
	"slices"

	"fyne.io/fyne/v2"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/editor/board"
	"github.com/svcflow/svc/ui/editor/doc"
)

// editor is what a page and its controls work with: the inspector, and the subject of the
// page. The subject stays the same even if the inspector moves on while a field loses its
// focus.
type editor struct {
	*Inspector

	subject subject
}

// edit runs a command of the document and reports the change.
func (d *editor) edit(command func(doc *doc.Document) error) error {
	if d.subject.board.ReadOnly {
		return board.ErrReadOnly
	}
	before := d.subject.doc.Revision()
	if err := command(d.subject.doc); err != nil {
		return err
	}
	if d.subject.doc.Revision() != before {
		d.cfg.Changed()
		d.Update(d.board)
	}
	return nil
}

// do is edit for callers that cannot show an error themselves.
func (d *editor) do(command func(doc *doc.Document) error) {
	if err := d.edit(command); err != nil {
		d.cfg.Refused(err)
	}
}

// show selects a node of the level and reveals it.
func (d *editor) show(id string) {
	d.subject.board.Show(id)
	d.cfg.Changed()
	d.Update(d.board)
}

// seal ends the undo step of typing into a field.
func (d *editor) seal() { d.subject.doc.Seal() }

// current reports whether the page is still shown: a slow answer may arrive after the user
// has moved on.
func (d *editor) current() bool { return d.Inspector.subject == d.subject }

// readOnly reports whether the document cannot be changed.
func (d *editor) readOnly() bool { return d.subject.board.ReadOnly }

func canvasOf(o fyne.CanvasObject) fyne.Canvas {
	return fyne.CurrentApp().Driver().CanvasForObject(o)
}

// contains reports whether o is within root. It looks into containers only: widgets that can
// have the focus here are in no other widget.
func contains(root, o fyne.CanvasObject) bool {
	if root == o {
		return true
	}
	switch root := root.(type) {
	case *fyne.Container:
		return slices.ContainsFunc(root.Objects, func(child fyne.CanvasObject) bool { return contains(child, o) })
	}
	return false
}

// express adds a node with an expression that computes the value of an input, and shows it
// for editing. The expression's subject is the present source of the input, else its value.
func (d *editor) express(port string) {
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

// derive adds a node with an expression and focuses its text.
func (d *editor) derive(to, from cards.PortRef, text string) {
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
