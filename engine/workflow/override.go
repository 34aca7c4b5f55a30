package workflow

import (
	"fmt"
	"maps"
	"slices"
)

// OverrideError is the reason why an override cannot be applied.
type OverrideError struct {
	NodeID string
	Port   string // empty if the error is about the node
	Reason string
}

// Error implements error.
func (e *OverrideError) Error() string {
	if e.Port == "" {
		return fmt.Sprintf("override of node %q: %s", e.NodeID, e.Reason)
	}
	return fmt.Sprintf("override of port %q of node %q: %s", e.Port, e.NodeID, e.Reason)
}

// Override returns d with overrides, values by node id and input port, merged into the
// config of its nodes. It does not change d but shares unchanged parts with it; without
// overrides it returns d. Nodes in bodies cannot be overridden. The error is an
// [*OverrideError]: the node does not exist, or a wire feeds the port.
func Override(d *Definition, overrides map[string]map[string]any) (*Definition, error) {
	if len(overrides) == 0 {
		return d, nil
	}
	for _, c := range d.Connections {
		if _, ok := overrides[c.ToNodeID][c.ToPort]; ok {
			return nil, &OverrideError{c.ToNodeID, c.ToPort, "a wire feeds it; remove the wire or the override"}
		}
	}
	merged := *d
	merged.Nodes = slices.Clone(d.Nodes)
	found := make(map[string]bool, len(overrides))
	for i := range merged.Nodes {
		n := &merged.Nodes[i]
		ports, ok := overrides[n.ID]
		if !ok {
			continue
		}
		found[n.ID] = true
		config := make(map[string]any, len(n.Config)+len(ports))
		maps.Copy(config, n.Config)
		maps.Copy(config, ports)
		n.Config = config
	}
	for _, id := range slices.Sorted(maps.Keys(overrides)) {
		if !found[id] {
			return nil, &OverrideError{NodeID: id, Reason: "the workflow has no such node"}
		}
	}
	return &merged, nil
}
