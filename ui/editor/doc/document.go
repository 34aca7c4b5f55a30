package doc

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrNoNode reports an unknown node.
var ErrNoNode = errors.New("there is no such node")

// Document is a workflow that is being edited. Its commands work on one level: the outermost
// workflow, or the body that was entered. A command that changes something is one step of the
// history; one that returns an error has changed nothing.
type Document struct {
	specs    *Specs
	root     *workflow.Definition
	level    *workflow.Definition
	path     []string // the containers entered, outermost first
	history  history
	revision int

	index  *index                // of the level; nil when out of date
	placed *placement            // of the level; nil when out of date
	ports  map[string]*kit       // of the level's nodes
	sight  map[string]geom.Point // positions of nodes that have none in the document, by path and id
}

// New returns a document with a copy of def. It counts as saved.
func New(def *workflow.Definition, specs *Specs) *Document {
	d := &Document{specs: specs, root: cloneDefinition(def), ports: map[string]*kit{}, sight: map[string]geom.Point{}}
	d.level = d.root
	return d
}

// Specs returns the node types of the document.
func (d *Document) Specs() *Specs { return d.specs }

// SetSpecs sets the node types, as after a switch of the host. It does not change the
// workflow.
func (d *Document) SetSpecs(specs *Specs) {
	d.specs = specs
	clear(d.ports)
	d.touch()
}

// Definition returns a copy of the whole workflow. Unless something was changed, or after all
// changes were undone, its MarshalJSON returns the same bytes as that of the definition given
// to [New].
func (d *Document) Definition() *workflow.Definition { return cloneDefinition(d.root) }

// Name returns the name of the workflow, or its id if it has none.
func (d *Document) Name() string {
	if d.root.Name != "" {
		return d.root.Name
	}
	return d.root.ID
}

// Revision changes with every visible change of the document.
func (d *Document) Revision() int { return d.revision }

// Node returns a node of the level, for reading only. It is valid until the
// document changes.
func (d *Document) Node(id string) (*workflow.Node, bool) {
	if i, ok := d.at(id); ok {
		return &d.level.Nodes[i], true
	}
	return nil, false
}

// Nodes returns the nodes of the level in document order, for reading only.
func (d *Document) Nodes() []workflow.Node { return d.level.Nodes }

// Connections returns the wires of the level in document order, for reading only.
func (d *Document) Connections() []workflow.Connection { return d.level.Connections }

// Groups returns the groups of the level, for reading only.
func (d *Document) Groups() []workflow.Group { return d.level.Groups }

// Notes returns the notes of the level, for reading only.
func (d *Document) Notes() []workflow.Note { return d.level.Notes }

// Undo undoes the last step and enters its level. It returns the name of the step; ok is
// false without one.
func (d *Document) Undo() (name string, ok bool) {
	s, ok := d.history.takeUndo()
	if !ok {
		return "", false
	}
	d.goTo(s.path)
	for _, e := range slices.Backward(s.edits) {
		e.undo()
	}
	d.touch()
	return s.name, true
}

// Redo repeats the step that was undone last.
func (d *Document) Redo() (name string, ok bool) {
	s, ok := d.history.takeRedo()
	if !ok {
		return "", false
	}
	d.goTo(s.path)
	for _, e := range s.edits {
		e.do()
	}
	d.touch()
	return s.name, true
}

// CanUndo returns the name of the step that Undo would undo; "" for none.
func (d *Document) CanUndo() string { return lastName(d.history.done) }

// CanRedo returns the name of the step that Redo would repeat; "" for none.
func (d *Document) CanRedo() string { return lastName(d.history.undone) }

func lastName(steps []step) string {
	if len(steps) == 0 {
		return ""
	}
	return steps[len(steps)-1].name
}

// Seal ends the present step: the next command begins a new step even if it would continue
// this one (typing into one field, moving by one key). Call it when a field loses the focus
// and when the selection changes.
func (d *Document) Seal() { d.history.sealed = true }

// MarkSaved records that the present state is saved.
func (d *Document) MarkSaved() { d.history.saved = len(d.history.done) }

// MarkUnsaved records that the present state is not saved, as for a draft after a crash.
func (d *Document) MarkUnsaved() { d.history.saved = -1 }

// Edited reports whether the workflow differs from its saved state.
func (d *Document) Edited() bool { return d.history.saved != len(d.history.done) }

// SetID sets the id of the workflow, for saving it as another one. See [workflow.CheckID].
func (d *Document) SetID(id string) error {
	if err := workflow.CheckID(id); err != nil {
		return err
	}
	return d.do("Change id", "", func(c *change) error {
		c.setText(&c.root.ID, id)
		return nil
	})
}

// SetName sets the name of the workflow.
func (d *Document) SetName(name string) error {
	return d.do("Rename", "name", func(c *change) error {
		c.setText(&c.root.Name, name)
		return nil
	})
}

// SetDescription sets the description of the workflow.
func (d *Document) SetDescription(text string) error {
	return d.do("Describe", "description", func(c *change) error {
		c.setText(&c.root.Description, text)
		return nil
	})
}

// do runs one command. Commands with the same key continue one step.
func (d *Document) do(name, key string, command func(c *change) error) error {
	c := &change{Document: d}
	if err := command(c); err != nil {
		c.takeBack()
		return err
	}
	if len(c.edits) > 0 {
		c.fit()
		d.history.push(step{name: name, key: key, path: slices.Clone(d.path), edits: c.edits})
	}
	return nil
}

// touch records a change of the level.
func (d *Document) touch() {
	d.revision++
	d.index, d.placed = nil, nil
}

// at returns the index of a node of the level.
func (d *Document) at(id string) (int, bool) {
	i, ok := d.lookup().nodes[id]
	return i, ok
}

func (d *Document) need(id string) (int, error) {
	i, ok := d.at(id)
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrNoNode, id)
	}
	return i, nil
}

// cloneDefinition copies what commands change in place, and shares what they only replace,
// such as configs and positions.
func cloneDefinition(def *workflow.Definition) *workflow.Definition {
	d := *def
	d.Nodes, d.Connections = slices.Clone(def.Nodes), slices.Clone(def.Connections)
	d.Groups, d.Notes = slices.Clone(def.Groups), slices.Clone(def.Notes)
	for i := range d.Nodes {
		d.Nodes[i] = cloneNode(d.Nodes[i])
	}
	return &d
}

func cloneNode(n workflow.Node) workflow.Node {
	n.Config = maps.Clone(n.Config)
	if n.Body != nil {
		n.Body = cloneDefinition(n.Body)
	}
	return n
}
