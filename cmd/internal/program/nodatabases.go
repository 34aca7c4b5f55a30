//go:build nosql

package program

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
)

// A program built with the tag nosql has no node types for databases.
func databases(nodes.Env) []node.Plugin { return nil }
