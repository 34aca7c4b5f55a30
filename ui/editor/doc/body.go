package doc

import (
	"errors"
	"fmt"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrNoBody reports that a node cannot be entered.
var ErrNoBody = errors.New("the node has no body to enter")

// Path returns the ids of the containers that were entered, outermost first.
func (d *Document) Path() []string { return slices.Clone(d.path) }

// Titles returns the titles of the containers that were entered, outermost first.
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

// Enter enters the body of a container. A container without a body gets the initial one of
// its type, as a step that can be undone.
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

// Leave enters the level around the present one and returns the container that was left; ok
// is false on the outermost level.
func (d *Document) Leave() (id string, ok bool) {
	last := len(d.path) - 1
	if last < 0 {
		return "", false
	}
	id = d.path[last]
	d.goTo(slices.Clone(d.path[:last]))
	return id, true
}

// GoTo enters the body at the end of path, as from [Document.Path] or a problem. If there is
// no such body, it does nothing and returns an error.
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

// Unfold shows the body of a container on its card, which grows; everything to the right and
// below makes room. A container without a body gets one, as in [Document.Enter].
func (d *Document) Unfold(id string) error {
	return d.do("Unfold the body", "", func(c *change) error {
		i, err := c.need(id)
		if err != nil {
			return err
		}
		if c.level.Nodes[i].Body == nil {
			if err := c.giveBody(i); err != nil {
				return err
			}
		}
		if !c.isContainer(c.level.Nodes[i].Type) {
			return fmt.Errorf("%w: %q", ErrNoBody, id)
		}
		if c.Unfolded(id) {
			return nil
		}
		c.settle()
		card, _ := c.Card(id)
		body, err := c.At(append(slices.Clone(c.path), id))
		if err != nil {
			return err
		}
		c.resize(id, cards.UnfoldedSize(card.Rect, body.Bounds()))
		return nil
	})
}

// Fold hides the body of a container on its card, and gives back the room that it took.
func (d *Document) Fold(id string) error {
	return d.do("Fold the body", "", func(c *change) error {
		if _, err := c.need(id); err != nil {
			return err
		}
		if !c.Unfolded(id) {
			return nil
		}
		c.settle()
		before, _ := c.Card(id)
		was := before.Rect
		c.setSize(id, nil)
		card, _ := c.Card(id)
		beside := c.strips(id, was, card.Rect)
		c.spread(id, was, card.Rect)
		c.untangle(beside)
		return nil
	})
}

// Unfolded reports whether the body of a node of the level is shown on its card.
func (d *Document) Unfolded(id string) bool {
	card, ok := d.Card(id)
	return ok && card.Unfolded()
}

// setSize sets or removes the size of a node.
func (c *change) setSize(id string, size *workflow.Size) {
	if i, ok := c.at(id); ok {
		modify(c, &c.level.Nodes, i, func(n *workflow.Node) { n.Size = size })
	}
}

// resize makes a card larger; everything to the right and below makes room.
func (c *change) resize(id string, to workflow.Size) {
	before, _ := c.Card(id)
	was := before.Rect
	c.setSize(id, &workflow.Size{W: clampSize(to.W, cards.MinWidth), H: clampSize(to.H, cards.HeaderHeight)})
	if card, ok := c.Card(id); ok {
		c.spread(id, was, card.Rect)
	}
}

// spread moves everything to the right of a card by its growth in width, and everything below
// by its growth in height. So nothing overlaps, and the inverse gives the old arrangement.
func (c *change) spread(id string, was, is geom.Rect) {
	var right, below Set
	add := func(at geom.Point, node, note []string) {
		if at.X >= was.Max.X {
			right.Nodes, right.Notes = append(right.Nodes, node...), append(right.Notes, note...)
		}
		if at.Y >= was.Max.Y {
			below.Nodes, below.Notes = append(below.Nodes, node...), append(below.Notes, note...)
		}
	}
	for i := range c.Cards() {
		if card := &c.Cards()[i]; card.Node.ID != id {
			add(card.Rect.Min, []string{card.Node.ID}, nil)
		}
	}
	for _, n := range c.Stickies() {
		add(n.Rect.Min, nil, []string{n.ID})
	}
	c.move(right, geom.Point{X: is.W() - was.W()})
	c.move(below, geom.Point{Y: is.H() - was.H()})
}

// strips returns the nodes that were put beside a grown card, in its rows or columns: nodes
// that move back may overlap them.
func (c *change) strips(id string, was, is geom.Rect) (beside []string) {
	between := func(x, low, high float64) bool { return x >= low && x < high }
	for i := range c.Cards() {
		card := &c.Cards()[i]
		at := card.Rect.Min
		if card.Node.ID != id && (between(at.X, is.Max.X, was.Max.X) || between(at.Y, is.Max.Y, was.Max.Y)) {
			beside = append(beside, card.Node.ID)
		}
	}
	return beside
}

// untangle moves the nodes that overlap others to free positions.
func (c *change) untangle(ids []string) {
	for _, id := range ids {
		card, ok := c.Card(id)
		if !ok {
			continue
		}
		extent, on := card.Extent(), false
		for i := range c.Cards() {
			other := &c.Cards()[i]
			on = on || other.Node.ID != id && other.Rect.Overlaps(card.Rect)
		}
		if on {
			to := c.free(extent, map[string]bool{id: true}).Sub(extent.Min)
			c.move(Set{Nodes: []string{id}}, to)
		}
	}
}

// fit enlarges the cards that the level is shown on, if their contents need it.
func (c *change) fit() {
	for depth := len(c.path); depth > 0; depth-- {
		path, id := c.path[:depth-1], c.path[depth-1]
		if !c.sized(path, id) {
			continue
		}
		bounds := c.Bounds()
		if depth < len(c.path) {
			body, err := c.At(c.path[:depth])
			if err != nil {
				return
			}
			bounds = body.Bounds()
		}
		c.on(path, func() { c.fitTo(id, bounds) })
	}
}

// sized reports whether a node of any level may be unfolded.
func (c *change) sized(path []string, id string) bool {
	level, err := c.levelAt(path)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(level.Nodes, func(n workflow.Node) bool { return n.ID == id })
	return i >= 0 && level.Nodes[i].Size != nil
}

// fitTo enlarges the card of a node so that a body with these bounds fits.
func (c *change) fitTo(id string, body geom.Rect) {
	card, ok := c.Card(id)
	if !ok || !card.Unfolded() {
		return
	}
	folded := *card.Node
	folded.Size = nil
	small := c.newCard(&folded)
	least, has := cards.UnfoldedSize(small.Rect, body), *card.Node.Size
	missing := geom.Point{X: max(least.W-has.W, 0), Y: max(least.H-has.H, 0)}.SnapUp(geom.Pitch)
	if missing != (geom.Point{}) {
		c.settle()
		c.resize(id, workflow.Size{W: has.W + missing.X, H: has.H + missing.Y})
	}
}

// on runs f on another level.
func (c *change) on(path []string, f func()) {
	level, err := c.levelAt(path)
	if err != nil {
		return
	}
	d := c.Document
	was := *d
	d.level, d.path, d.ports, d.index, d.placed = level, path, map[string]*kit{}, nil, nil
	f()
	d.level, d.path, d.ports, d.index, d.placed = was.level, was.path, was.ports, was.index, was.placed
}
