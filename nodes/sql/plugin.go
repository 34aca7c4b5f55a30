// Package sqlnode is the plugin "sql": nodes that ask databases. It is the only package
// that knows their drivers. No value ever becomes SQL: statements are literals of the
// workflow, and values travel beside them.
package sqlnode

import (
	"io/fs"
	"os"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// Files is where databases that are files lie.
type Files interface {
	Clean(name string) (string, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
}

// Config is what the plugin is made of.
type Config struct {
	Credentials credentials.Provider
	// Dial opens connections to those addresses that workflows may reach; nil opens none.
	Dial  service.Dial
	Files Files
}

// Plugin is the plugin, with the connections that are open. Nothing is opened before it is
// needed.
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
