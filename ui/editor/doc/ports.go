package doc

import (
	"maps"
	"reflect"
	"slices"

	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
)

// kit caches the type and the ports of a node. A resolver may parse templates and programs to
// find the ports, so the result is cached while the node stays the same.
type kit struct {
	spec            *node.Spec // nil if the type is unknown
	inputs, outputs []node.Port

	typ    string
	config map[string]any
	wired  []string
}

// kitOf returns the kit of node n. Ports that only wires refer to are included, with the type
// any, so that no wire ends in nothing.
func (d *Document) kitOf(n *workflow.Node) *kit {
	wired := d.wiredPorts(n.ID)
	if k, ok := d.ports[n.ID]; ok && k.typ == n.Type && n.Body == nil && sameMap(k.config, n.Config) && slices.Equal(k.wired, wired) {
		return k
	}
	k := &kit{typ: n.Type, config: n.Config, wired: wired}
	k.spec, _ = d.specs.Lookup(n.Type)
	at := slices.Index(wired, wiredMark)
	inputs, outputs := cards.PortsOf(n, k.spec, d.specs.ports, wired[:at], wired[at+1:])
	k.inputs, k.outputs = portsIn(inputs, d.specs.say), portsIn(outputs, d.specs.say)
	d.ports[n.ID] = k
	return k
}

// wiredMark separates inputs from outputs; no port can have this name.
const wiredMark = "\x00"

// wires counts the wires of a port.
func (k *kit) wires(port string, output bool) (n int) {
	out := false
	for _, name := range k.wired {
		switch {
		case name == wiredMark:
			out = true
		case name == port && out == output:
			n++
		}
	}
	return n
}

// wiredPorts returns the ports of a node that have wires: inputs, then wiredMark and outputs.
// It is the part of a kit's key that depends on wires.
func (d *Document) wiredPorts(id string) []string {
	x := d.lookup()
	ports := make([]string, 0, len(x.into[id])+len(x.out[id])+1)
	for _, i := range x.into[id] {
		ports = append(ports, d.level.Connections[i].ToPort)
	}
	ports = append(ports, wiredMark)
	for _, i := range x.out[id] {
		ports = append(ports, d.level.Connections[i].FromPort)
	}
	return ports
}

// Ports returns the ports of a node of the level: those of its type, config and body, and
// those that only wires refer to. Controls are included if they are wired.
func (d *Document) Ports(id string) (inputs, outputs []node.Port, err error) {
	i, err := d.need(id)
	if err != nil {
		return nil, nil, err
	}
	k := d.kitOf(&d.level.Nodes[i])
	return k.inputs, k.outputs, nil
}

// port returns one port. Controls are found even if they are not wired.
func (d *Document) port(ref cards.PortRef) (node.Port, bool) {
	i, ok := d.at(ref.Node)
	if !ok {
		return node.Port{}, false
	}
	k := d.kitOf(&d.level.Nodes[i])
	ports := k.inputs
	if ref.Output {
		ports = k.outputs
	}
	if p := cards.FindPort(ports, ref.Port); p != nil {
		return *p, true
	}
	if p := d.specs.controls.Find(k.spec, ref.Port, ref.Output); p != nil {
		return *p, true
	}
	return node.Port{}, false
}

// sameMap reports whether a and b are the same map. Configs are replaced, never changed.
func sameMap(a, b map[string]any) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// withEntry returns a copy of m with one entry added or replaced.
func withEntry(m map[string]any, key string, v any) map[string]any {
	out := make(map[string]any, len(m)+1)
	maps.Copy(out, m)
	out[key] = v
	return out
}
