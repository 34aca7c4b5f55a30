// Package redis is the plugin "redis": a node that sends commands to Redis, Valkey and
// servers with the same protocol. No other package imports the client library. Commands are
// never parsed from text: the name and each argument are sent as separate strings, so
// values cannot inject commands.
package redis

import (
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// Config configures the plugin.
type Config struct {
	Credentials credentials.Provider
	// Dial opens connections to the addresses that workflows may reach; if nil, no
	// connection can be opened.
	Dial service.Dial
}

// Plugin is the plugin with its open connections. Connections are opened on first use.
type Plugin struct {
	node.Bundle

	pools *pools
}

// New returns the plugin.
func New(c Config) *Plugin {
	p := &Plugin{pools: &pools{config: c, secrets: service.Resolver{Provider: c.Credentials}}}
	p.Bundle = node.Bundle{
		Name:     "redis",
		Category: "Databases",
		Card:     node.Card{Shape: "card", Color: "#B71C1C", Icon: "list"},
		Nodes:    []node.Node{commandNode(p.pools)},
	}
	return p
}

// Close closes all connections.
func (p *Plugin) Close() error { return p.pools.all.Close() }
