// Package sqlnode is the plugin "sql": nodes that query and change databases. No other
// package knows their drivers. No value ever becomes part of the SQL text: statements are
// literals of the workflow, and values are bound parameters.
package sqlnode

import (
	"io/fs"
	"os"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// Files are the files of workflows, for databases that are files.
type Files interface {
	Clean(name string) (string, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	MkdirAll(name string, perm fs.FileMode) error
}

// Config configures the plugin.
type Config struct {
	Credentials credentials.Provider
	// Dial opens connections to those addresses that workflows may reach; nil opens none.
	Dial  service.Dial
	Files Files
}

// Plugin is the plugin, with its open connections. It opens them on demand.
type Plugin struct {
	node.Bundle

	pools *pools
}

// New returns the plugin.
func New(c Config) *Plugin {
	p := &Plugin{pools: &pools{config: c, secrets: service.Resolver{Provider: c.Credentials}}}
	p.Bundle = node.Bundle{
		Name:     "sql",
		Category: "Databases",
		Card:     node.Card{Shape: "card", Color: "#00695C", Icon: "list"},
		Nodes:    []node.Node{queryNode(p.pools), execNode(p.pools), insertNode(p.pools)},
	}
	return p
}

// Close closes all connections.
func (p *Plugin) Close() error { return p.pools.all.Close() }
