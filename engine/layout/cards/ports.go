package cards

import (
	"slices"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// PortsOf returns the ports of a node: those of its type, those that its config and body
// give it, and those that only wires know of, with the type any, so that no wire hangs in
// the air. spec is nil for an unknown type, bound is nil if every node has the ports of its
// spec. into and out are the ports that wires lead to and away from, one for each wire.
func PortsOf(n *workflow.Node, spec *node.Spec, bound Resolver, into, out []string) (inputs, outputs []node.Port) {
	inputs, outputs = knownPorts(n, spec, bound, into)
	for _, port := range into {
		inputs = WithPort(inputs, port, value.Any())
	}
	for _, port := range out {
		typ := value.Any()
		if port == node.ErrorPort {
			typ = node.ErrorType()
		}
		outputs = WithPort(outputs, port, typ)
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

// WithPort returns ports with one of that name, which is added at the end if it is not
// there.
func WithPort(ports []node.Port, name string, typ value.Type) []node.Port {
	if FindPort(ports, name) != nil {
		return ports
	}
	return append(slices.Clip(ports), node.Port{Name: name, Type: typ, Optional: true})
}

// FindPort returns the port of that name, or nil.
func FindPort(ports []node.Port, name string) *node.Port {
	if i := slices.IndexFunc(ports, func(p node.Port) bool { return p.Name == name }); i >= 0 {
		return &ports[i]
	}
	return nil
}
