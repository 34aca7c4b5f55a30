package cards

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/layout/geom"
	"github.com/svcflow/svc/engine/node"
)

// IsControl reports whether a port is an implicit one: the ports that order nodes without
// data, and the error port. Every node has them, and they have no rows.
func IsControl(port string) bool { return strings.HasPrefix(port, "$") }

// Controls are the implicit ports. All cards share them.
type Controls struct{ inputs, outputs []node.Port }

// NewControls returns the implicit ports.
func NewControls() *Controls { return &Controls{node.ControlInputs(), node.ControlOutputs()} }

// Find returns the implicit port called name of a node, or nil. spec is nil for an unknown
// type.
func (c *Controls) Find(spec *node.Spec, name string, output bool) *node.Port {
	if output {
		return FindPort(c.outputs, name)
	}
	return FindPort(c.inputsOf(spec), name)
}

// inputsOf returns the implicit inputs of a node; nodes that begin a run have none.
func (c *Controls) inputsOf(spec *node.Spec) []node.Port {
	if spec != nil && !spec.Role.Controlled() {
		return nil
	}
	return c.inputs
}

// addControls adds the implicit ports: those that nodes of the type have, and further ones
// that have wires.
func (c *Card) addControls(k *Kit) {
	c.Controls = make([]Anchor, 0, len(k.Controls.inputs)+len(k.Controls.outputs))
	for _, ports := range [][]node.Port{k.Controls.inputsOf(k.Spec), k.Inputs} {
		c.addEach(k, ports, false)
	}
	for _, ports := range [][]node.Port{k.Controls.outputs, k.Outputs} {
		c.addEach(k, ports, true)
	}
}

func (c *Card) addEach(k *Kit, ports []node.Port, output bool) {
	for i := range ports {
		p := &ports[i]
		if IsControl(p.Name) && c.Anchor(p.Name, output) == nil {
			c.Controls = append(c.Controls, Anchor{PortRef: PortRef{c.Node.ID, p.Name, output}, Spec: p, Wires: k.Wires(p.Name, output)})
		}
	}
}

// layControls places the implicit ports next to the title, inputs on the left and outputs
// on the right.
func (c *Card) layControls() {
	rows := map[bool]float64{}
	for i := range c.Controls {
		a := &c.Controls[i]
		a.At.Y = firstControl + ControlStep*rows[a.Output]
		rows[a.Output]++
		if a.Output {
			a.At.X = c.Rect.Max.X
		}
	}
}

// layControlsAround places the implicit ports in a row above a circle, outside the ring
// that shows the state of a run: inputs on the left and outputs on the right.
func (c *Card) layControlsAround(radius float64) {
	const above = 14
	left, right := -ControlStep/2, ControlStep/2
	for i := range slices.Backward(c.Controls) { // the last input is closest to the center
		if a := &c.Controls[i]; !a.Output {
			a.At, left = geom.Point{X: left}, left-ControlStep
		}
	}
	for i := range c.Controls {
		a := &c.Controls[i]
		if a.Output {
			a.At, right = geom.Point{X: right}, right+ControlStep
		}
		a.At = a.At.Add(geom.Point{X: CircleSize / 2, Y: CircleSize/2 - radius - above})
	}
}
