package cards

import (
	"math"
	"strings"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Card is a node as it lies on the canvas.
type Card struct {
	Node *workflow.Node // for reading only
	Spec *node.Spec     // nil if the type is unknown
	// Circle cards show an icon, with their name below; all others are rectangles
	// with a row for each port.
	Circle bool
	// Rect is the circle or card itself, in dp, without what hangs on it.
	Rect geom.Rect
	// Ports are the inputs and then the outputs, in order. Inputs that no wire can
	// lead to are there on cards only, and only if they have a value or need one.
	Ports []Anchor
	// Pane is where a value is shown; it is empty if there is no room for that.
	Pane geom.Rect
	// Controls are the ports that every node has and no row is for, inputs first; see
	// [IsControl].
	Controls []Anchor

	boundary bool // it stands for an input or output of the workflow
}

// PortRef names a port of the level.
type PortRef struct {
	Node   string
	Port   string
	Output bool
}

// Anchor is a port on a card.
type Anchor struct {
	PortRef

	Spec  *node.Port
	At    geom.Point // its middle
	Wires int        // how many lead there
	// Value is what an input without a wire has been given, as short text; "" for
	// nothing.
	Value string
}

// Fixed reports whether no wire can lead to the port: it is set by hand only.
func (a *Anchor) Fixed() bool { return !a.Output && a.Spec.Literal }

// Title returns the node's label, else that of its type, else its type. What stands
// for an input or output of the workflow goes by the name of that.
func (c *Card) Title() string {
	name, _ := c.Node.Config["name"].(string)
	switch {
	case c.Node.Label != "":
		return c.Node.Label
	case c.boundary && name != "":
		return name
	case c.Spec != nil && c.Spec.Label != "":
		return c.Spec.Label
	}
	return c.Node.Type
}

// Extent returns the rectangle of all that is drawn of a card.
func (c *Card) Extent() geom.Rect {
	if !c.Circle {
		return c.Rect.Grow(PortReach)
	}
	r := c.Rect.Grow(2 * PortReach)
	width := min(max(TextWidth(c.Title(), TitleText), r.W()), maxNameWidth)
	return geom.Rect{
		Min: geom.Point{X: c.Rect.Center().X - width/2, Y: r.Min.Y},
		Max: geom.Point{X: c.Rect.Center().X + width/2, Y: c.Rect.Max.Y + labelHeight + PortReach},
	}
}

// Anchor returns one port of the card, or nil.
func (c *Card) Anchor(name string, output bool) *Anchor {
	ports := c.Ports
	if IsControl(name) {
		ports = c.Controls
	}
	for i := range ports {
		if a := &ports[i]; a.Spec.Name == name && a.Output == output {
			return a
		}
	}
	return nil
}

// Kit is what is known of a node besides what the document says.
type Kit struct {
	Spec            *node.Spec // nil if the type is unknown
	Inputs, Outputs []node.Port
	Controls        *Controls
	// Boundary nodes stand for an input or output of the workflow.
	Boundary bool
	// Wires tells how many wires a port has.
	Wires func(port string, output bool) int
}

// New lays a node out with its top left corner at the origin.
func New(n *workflow.Node, k Kit) Card {
	c := Card{Node: n, Spec: k.Spec, Circle: k.Spec != nil && k.Spec.Card.Shape == "circle", boundary: k.Boundary}
	c.Ports = make([]Anchor, 0, len(k.Inputs)+len(k.Outputs))
	c.addInputs(&k, false)
	c.addInputs(&k, true)
	shown := len(c.Ports)
	for i := range k.Outputs {
		p := &k.Outputs[i]
		if IsControl(p.Name) {
			continue
		}
		c.Ports = append(c.Ports, Anchor{PortRef: PortRef{n.ID, p.Name, true}, Spec: p, Wires: k.Wires(p.Name, true)})
	}
	c.addControls(&k)
	if c.Circle {
		c.layCircle(shown)
	} else {
		c.layRows(shown)
	}
	return c
}

// addInputs adds the inputs that wires can lead to, or those that are fixed. These
// come last, so that outputs do not take the room for their values.
func (c *Card) addInputs(k *Kit, fixed bool) {
	for i := range k.Inputs {
		a := Anchor{PortRef: PortRef{c.Node.ID, k.Inputs[i].Name, false}, Spec: &k.Inputs[i]}
		if a.Fixed() != fixed || IsControl(a.Port) {
			continue
		}
		a.Wires = k.Wires(a.Port, false)
		if v, given := c.Node.Config[a.Port]; given && a.Wires == 0 {
			a.Value = brief(v)
		}
		if !fixed || c.showsFixed(&a) {
			c.Ports = append(c.Ports, a)
		}
	}
}

// showsFixed reports whether the card has a row for an input that no wire can lead
// to.
func (c *Card) showsFixed(a *Anchor) bool {
	return !c.Circle && !c.boundary && (a.Value != "" || a.Spec.Required())
}

// layRows gives each input and each output a row of the card, side by side.
func (c *Card) layRows(inputs int) {
	rows := max(inputs, len(c.Ports)-inputs)
	width := max(c.width(inputs), c.paneWidth())
	for i := range c.Ports {
		a, row := &c.Ports[i], i
		if a.Output {
			row, a.At.X = i-inputs, width
		}
		a.At.Y = firstRow + RowHeight*float64(row)
	}
	height := HeaderHeight
	if rows > 0 {
		height = firstRow + RowHeight*float64(rows-1) + cardFoot
	}
	c.Rect = geom.RectAt(geom.Point{}, width, height)
	c.layPane()
	c.layControls()
}

// width returns how wide the card has to be for its texts, in steps of the grid.
func (c *Card) width(inputs int) float64 {
	width := TitleIndent + TextWidth(c.Title(), TitleText) + RowGap + BadgeRoom
	for i := range max(inputs, len(c.Ports)-inputs) {
		row := 2 * RowIndent
		if i < inputs {
			row += TextWidth(c.Ports[i].Port, RowText)
			if v := c.Ports[i].Value; v != "" {
				row += RowGap + TextWidth(v, ValueSpace)
			}
		}
		if k := inputs + i; k < len(c.Ports) {
			row += RowGap + TextWidth(c.Ports[k].Port, RowText)
		}
		width = max(width, row)
	}
	return min(max(math.Ceil(width/geom.Pitch)*geom.Pitch, MinWidth), MaxWidth)
}

// Inputs returns how many of the ports are inputs.
func (c *Card) Inputs() (n int) {
	for n < len(c.Ports) && !c.Ports[n].Output {
		n++
	}
	return n
}

// Move puts the card elsewhere.
func (c *Card) Move(by geom.Point) {
	c.Rect = c.Rect.Move(by)
	if !c.Pane.Empty() {
		c.Pane = c.Pane.Move(by)
	}
	for i := range c.Ports {
		c.Ports[i].At = c.Ports[i].At.Add(by)
	}
	for i := range c.Controls {
		c.Controls[i].At = c.Controls[i].At.Add(by)
	}
}

// brief returns a value as a card shows it.
func brief(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(value.Append(nil, v))
	}
	text = strings.Join(strings.Fields(text), " ")
	return Shorten(text, ValueSpace, longestValue*ValueSpace*0.58)
}
