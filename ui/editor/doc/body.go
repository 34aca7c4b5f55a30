package doc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/workflow"
)

// ErrNoBody says that a node cannot be entered.
var ErrNoBody = errors.New("the node has no body to enter")

// Path returns the ids of the containers that were entered, outermost first.
func (d *Document) Path() []string { return slices.Clone(d.path) }

// Titles returns what the containers that were entered are called, outermost first.
func (d *Document) Titles() []string {
	titles, level := make([]string, 0, len(d.path)), d.root
	for _, id := range d.path {
		i := slices.IndexFunc(level.Nodes, func(n workflow.Node) bool { return n.ID == id })
		title := level.Nodes[i].Label
		if spec, ok := d.specs.Lookup(level.Nodes[i].Type); ok && title == "" && spec.Label != "" {
			title = spec.Label
		}
		if title == "" {
			title = id
		}
		titles, level = append(titles, title), level.Nodes[i].Body
	}
	return titles
}

// Enter goes into the body of a container. A container that has none yet gets the one that
// its type begins with, which is a step of its own.
func (d *Document) Enter(id string) error {
	i, err := d.need(id)
	if err != nil {
		return err
	}
	if d.level.Nodes[i].Body == nil {
		if err := d.addBody(i); err != nil {
			return err
		}
	}
	d.goTo(append(slices.Clone(d.path), id))
	return nil
}

func (d *Document) addBody(i int) error {
	return d.do("Add body", "", func(c *change) error {
		return c.giveBody(i)
	})
}

func (c *change) giveBody(i int) error {
	spec, ok := c.specs.Lookup(c.level.Nodes[i].Type)
	if !ok || !spec.Container {
		return fmt.Errorf("%w: %q", ErrNoBody, c.level.Nodes[i].ID)
	}
	modify(c, &c.level.Nodes, i, func(n *workflow.Node) { n.Body = c.specs.newBody(spec) })
	return nil
}

// isContainer reports whether nodes of a type can have a body.
func (d *Document) isContainer(typ string) bool {
	spec, ok := d.specs.Lookup(typ)
	return ok && spec.Container
}

// Leave goes back to the level around the present one. It returns the container
// that was left; ok is false on the outermost level.
func (d *Document) Leave() (id string, ok bool) {
	last := len(d.path) - 1
	if last < 0 {
		return "", false
	}
	id = d.path[last]
	d.goTo(slices.Clone(d.path[:last]))
	return id, true
}

// GoTo goes to the body at the end of path, which [Document.Path] or a problem
// gave. It stays where it is if there is no such body.
func (d *Document) GoTo(path []string) error {
	if _, err := d.levelAt(path); err != nil {
		return err
	}
	d.goTo(slices.Clone(path))
	return nil
}

// At returns the document on another level, for reading only, until the document changes.
func (d *Document) At(path []string) (*Document, error) {
	level, err := d.levelAt(path)
	if err != nil {
		return nil, err
	}
	return &Document{specs: d.specs, root: d.root, level: level, path: slices.Clone(path), ports: map[string]*kit{}, sight: d.sight}, nil
}

func (d *Document) levelAt(path []string) (*workflow.Definition, error) {
	level := d.root
	for _, id := range path {
		i := slices.IndexFunc(level.Nodes, func(n workflow.Node) bool { return n.ID == id })
		if i < 0 || level.Nodes[i].Body == nil {
			return nil, fmt.Errorf("%w: %q", ErrNoBody, id)
		}
		level = level.Nodes[i].Body
	}
	return level, nil
}

// goTo is GoTo for a path that exists.
func (d *Document) goTo(path []string) {
	if slices.Equal(path, d.path) {
		return
	}
	d.level, d.path = d.root, path
	for _, id := range path {
		i := slices.IndexFunc(d.level.Nodes, func(n workflow.Node) bool { return n.ID == id })
		d.level = d.level.Nodes[i].Body
	}
	clear(d.ports)
	d.Seal()
	d.touch()
}
