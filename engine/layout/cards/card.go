package cards

import (
	"math"
	"strings"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Card is a node on the canvas.
type Card struct {
	Node *workflow.Node // must not be changed
	Spec *node.Spec     // nil if the type is unknown
	// Circle cards show an icon, with the name below; all others are rectangles with a row
	// for each port.
	Circle bool
	// Rect is the circle or rectangle itself, in dp, without attached parts.
	Rect geom.Rect
	// Ports are the inputs and then the outputs, in order. Inputs without possible wires
	// are included only on rectangular cards, and only if they have a value or need one.
	Ports []Anchor
	// Pane is the area that shows a value; empty if the card has none.
	Pane geom.Rect
	// Controls are the implicit ports that every node has and that have no row, inputs
	// first; see [IsControl].
	Controls []Anchor

	boundary bool // declares an input or output of the workflow
}

// PortRef identifies a port of the level.
type PortRef struct {
	Node   string
	Port   string
	Output bool
}

// Anchor is a port on a card.
type Anchor struct {
	PortRef

	Spec  *node.Port
	At    geom.Point // center
	Wires int        // number of wires
	// Value is the configured value of an input without a wire, as short text, or "".
	Value string
}

// Fixed reports whether the port is an input that cannot be wired, because its value comes
// from config only.
func (a *Anchor) Fixed() bool { return !a.Output && a.Spec.Literal }

// Title returns the node's label, else the name of the input or output that it declares,
// else the label of its type, else its type.
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

// Extent returns the rectangle around everything that is drawn of a card.
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

// Anchor returns the port called name, or nil.
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

// Kit is the data of a node that is not in the document.
type Kit struct {
	Spec            *node.Spec // nil if the type is unknown
	Inputs, Outputs []node.Port
	Controls        *Controls
	// Boundary nodes declare an input or output of the workflow.
	Boundary bool
	// Wires returns the number of wires of a port.
	Wires func(port string, output bool) int
}

// New returns the card of a node with its top left corner at the origin.
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

// addInputs adds either the inputs that can be wired or the fixed ones. Fixed ones are
// added last, so that outputs do not take the space for their values.
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

// showsFixed reports whether the card has a row for a fixed input.
func (c *Card) showsFixed(a *Anchor) bool {
	return !c.Circle && !c.boundary && (a.Value != "" || a.Spec.Required())
}

// layRows places inputs and outputs in rows of the card, side by side.
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

// width returns the width that the texts of the card need, rounded up to the grid.
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

// Inputs returns the number of inputs among the ports.
func (c *Card) Inputs() (n int) {
	for n < len(c.Ports) && !c.Ports[n].Output {
		n++
	}
	return n
}

// Move moves the card.
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

// brief returns the text of a value on a card.
func brief(v any) string {
	text, ok := v.(string)
	if !ok {
		text = string(value.Append(nil, v))
	}
	text = strings.Join(strings.Fields(text), " ")
	return Shorten(text, ValueSpace, longestValue*ValueSpace*0.58)
}
