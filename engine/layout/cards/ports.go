package cards

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// PortsOf returns the ports of a node: those of its type, those from its config and body,
// and those that only wires refer to, with the type any, so that every wire has its ports.
// spec is nil for an unknown type; bound is nil if every node has the ports of its spec.
// into and out are the ports of wires to and from the node, one entry for each wire.
func PortsOf(n *workflow.Node, spec *node.Spec, bound Resolver, into, out []string) (inputs, outputs []node.Port) {
	inputs, outputs = knownPorts(n, spec, bound, into)
	for _, port := range into {
		inputs = withPort(inputs, port, node.ControlInputs())
	}
	for _, port := range out {
		outputs = withPort(outputs, port, node.ControlOutputs())
	}
	return inputs, outputs
}

func knownPorts(n *workflow.Node, spec *node.Spec, bound Resolver, into []string) (inputs, outputs []node.Port) {
	if bound != nil {
		inputs, outputs, ok := bound(n, func(port string) bool { return slices.Contains(into, port) })
		if ok {
			return inputs, outputs
		}
	}
	if spec == nil {
		return nil, nil
	}
	return spec.Inputs, spec.Outputs
}

// withPort returns ports with a port called name. If it is missing, it is added at the end:
// the implicit port of that name, or else a port of type any.
func withPort(ports []node.Port, name string, controls []node.Port) []node.Port {
	if FindPort(ports, name) != nil {
		return ports
	}
	added := node.Port{Name: name, Type: value.Any(), Optional: true}
	if p := FindPort(controls, name); p != nil {
		added = *p
	}
	return append(slices.Clip(ports), added)
}

// FindPort returns the port called name, or nil.
func FindPort(ports []node.Port, name string) *node.Port {
	if i := slices.IndexFunc(ports, func(p node.Port) bool { return p.Name == name }); i >= 0 {
		return &ports[i]
	}
	return nil
}
