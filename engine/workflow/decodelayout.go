package workflow

// Decoding of the layout: groups, notes and positions.

func (d *decoder) group(g *Group) error {
	return d.Object(1, []string{"id", "label", "nodeIds", "color"}, func(name string) (err error) {
		switch name {
		case "id":
			g.ID, err = d.Text()
		case "label":
			g.Label, err = d.text(&g.spelt, speltLabel)
		case "nodeIds":
			g.NodeIDs, err = list(d, func(id *string) (err error) {
				*id, err = d.Text()
				return err
			})
		case "color":
			g.Color, err = d.text(&g.spelt, speltColor)
		}
		return err
	})
}

func (d *decoder) note(n *Note) error {
	return d.Object(1, []string{"id", "text", "position", "size", "color"}, func(name string) (err error) {
		switch name {
		case "id":
			n.ID, err = d.Text()
		case "text":
			n.Text, err = d.text(&n.spelt, speltText)
		case "position":
			n.Position, err = d.position()
		case "size":
			n.Size, err = d.size()
		case "color":
			n.Color, err = d.text(&n.spelt, speltColor)
		}
		return err
	})
}

// via reads the points of a wire.
func (d *decoder) via() (*Route, error) {
	points := 0
	all, err := list(d, func(p *Position) error {
		if err := d.point(p); err != nil {
			return err
		}
		if points++; points > MaxVia {
			return d.Errorf("a wire has at most %d points", MaxVia)
		}
		return nil
	})
	return (*Route)(&all), err
}

func (d *decoder) position() (*Position, error) {
	p := new(Position)
	return p, d.point(p)
}

func (d *decoder) point(p *Position) error {
	return d.Object(2, []string{"x", "y"}, func(name string) (err error) {
		switch name {
		case "x":
			p.X, err = d.Float(-maxDistance, maxDistance)
		case "y":
			p.Y, err = d.Float(-maxDistance, maxDistance)
		}
		return err
	})
}

func (d *decoder) size() (*Size, error) {
	s := new(Size)
	return s, d.Object(2, []string{"w", "h"}, func(name string) (err error) {
		switch name {
		case "w":
			s.W, err = d.Float(0, maxDistance)
		case "h":
			s.H, err = d.Float(0, maxDistance)
		}
		return err
	})
}
