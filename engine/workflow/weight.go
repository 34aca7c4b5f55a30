package workflow

import "github.com/svcflow/svc/engine/value"

// partWeight is the approximate memory of a node, connection, group or note without its
// content, in bytes.
const partWeight = 256

// Weight returns the approximate memory of d in bytes, for caches with a memory limit: a
// document can take forty times as much memory as its text has bytes.
func (d *Definition) Weight() int {
	n := partWeight*(1+len(d.Nodes)+len(d.Connections)+len(d.Groups)+len(d.Notes)) + len(d.Name) + len(d.Description)
	for i := range d.Nodes {
		node := &d.Nodes[i]
		n += len(node.ID) + len(node.Type) + len(node.Label) + value.Weight(node.Config)
		if node.Body != nil {
			n += node.Body.Weight()
		}
	}
	for i := range d.Connections {
		c := &d.Connections[i]
		n += len(c.FromNodeID) + len(c.FromPort) + len(c.ToNodeID) + len(c.ToPort)
	}
	for i := range d.Groups {
		n += partWeight * len(d.Groups[i].NodeIDs)
	}
	for i := range d.Notes {
		n += len(d.Notes[i].Text)
	}
	return n
}
