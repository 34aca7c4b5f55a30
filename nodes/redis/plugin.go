// Package redis is the plugin "redis": a node that asks Redis, Valkey and whatever else
// speaks their protocol. It is the only package that knows the client. No text ever becomes a
// command: what a workflow sends is the name of a command and its arguments, each by itself.
package redis

import (
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
)

// Config is what the plugin is made of.
type Config struct {
	Credentials credentials.Provider
	// Dial opens connections to those addresses that workflows may reach; nil opens none.
	Dial service.Dial
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
		Name:     "redis",
		Category: "Databases",
		Card:     node.Card{Shape: "card", Color: "#B71C1C", Icon: "list"},
		Nodes:    []node.Node{commandNode(p.pools)},
	}
	return p
}

// Close closes all connections.
func (p *Plugin) Close() error { return p.pools.all.Close() }
