package doc

import (
	"errors"
	"maps"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// ErrNoExpressions reports that no node type evaluates expressions.
var ErrNoExpressions = errors.New("there is no node type here that makes values by expressions")

// Expresses returns the node type that computes a value from another one by an expression;
// nil without such a type.
func (s *Specs) Expresses() *node.Spec {
	for _, spec := range s.sorted {
		if spec.Derives != nil && spec.Derives.Wired {
			return spec
		}
	}
	return nil
}

// Language returns the node type that evaluates a text in a language; nil without such a
// type.
func (s *Specs) Language(l node.Language) *node.Spec {
	for _, spec := range s.sorted {
		if spec.Derives == nil {
			continue
		}
		for i := range spec.Inputs {
			if p := &spec.Inputs[i]; p.Name == spec.Derives.By && p.Script != nil && p.Script.Language == l {
				return spec
			}
		}
	}
	return nil
}

// Derive adds a node that computes the value of an input by an expression, and wires it to
// that input. The expression's subject is an output or, without one, the present value of the
// input.
func (d *Document) Derive(to, from cards.PortRef, expression string) (id string, err error) {
	err = d.do("Use an expression", "", func(c *change) error {
		spec := c.specs.Expresses()
		if spec == nil {
			return ErrNoExpressions
		}
		i, err := c.need(to.Node)
		if err != nil {
			return err
		}
		had, given := c.level.Nodes[i].Config[to.Port]
		if id, err = c.add(spec.Type, c.before(to.Node, spec.Type)); err != nil {
			return err
		}
		config := map[string]any{spec.Derives.By: expression}
		if from.Node == "" && given {
			config[spec.Derives.From] = had
		}
		if err := c.configure(id, config); err != nil {
			return err
		}
		if given {
			c.forget(to)
		}
		if from.Node != "" {
			if err := c.connect(from, cards.PortRef{Node: id, Port: spec.Derives.From}); err != nil {
				return err
			}
		}
		return c.connect(cards.PortRef{Node: id, Port: spec.Derives.Gives, Output: true}, to)
	})
	return id, err
}

func (c *change) configure(id string, config map[string]any) error {
	i, err := c.need(id)
	if err != nil {
		return err
	}
	n := c.level.Nodes[i]
	n.Config = config
	if err := checkNode(n); err != nil {
		return err
	}
	replace(c, &c.level.Nodes, i, 1, n)
	return nil
}

// forget removes a value that a wire replaces.
func (c *change) forget(input cards.PortRef) {
	i, ok := c.at(input.Node)
	if !ok {
		return
	}
	modify(c, &c.level.Nodes, i, func(n *workflow.Node) {
		n.Config = maps.Clone(n.Config)
		delete(n.Config, input.Port)
		if len(n.Config) == 0 {
			n.Config = nil
		}
	})
}

// before returns a free position for a node to the left of another one: beside it, or above.
func (c *change) before(id, typ string) geom.Point {
	const gap = 48
	card, ok := c.Card(id)
	if !ok {
		return geom.Point{}
	}
	size := c.Ghost(typ).Rect
	at := geom.Point{X: card.Rect.Min.X - size.W() - gap, Y: card.Rect.Min.Y}
	for all, i := c.Cards(), 0; i < len(all); i++ {
		if r := all[i].Rect.Grow(gap / 4); r.Overlaps(geom.RectAt(at, size.W(), size.H())) {
			at.Y = r.Min.Y - size.H() - 1
			i = -1 // there may be others
		}
	}
	return at
}
