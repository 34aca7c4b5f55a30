// Package crypto is the plugin "crypto": nodes that sign and verify, and make ids and
// random texts. No node is pure: outputs are recorded with the run, so that a resumed run
// sees the same values.
package crypto

import (
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/span"
)

// Config is what the nodes may reach. A field that is left out is out of reach, so the zero
// Config is for looking at the node types.
type Config struct {
	// Credentials is the source of secrets and keys.
	Credentials credentials.Provider
	// HTTP reads the keys of those who sign tokens. Its transport decides which addresses
	// are dialled.
	HTTP *http.Client
}

// New returns the plugin.
func New(c Config) node.Plugin {
	s := secrets{service.Resolver{Provider: c.Credentials}}
	return node.Bundle{
		Name:     "crypto",
		Category: "Crypto",
		Card:     node.Card{Shape: "card", Color: "#5D4037", Icon: "key"},
		Nodes: []node.Node{
			s.hmacNode(), s.verifyHMACNode(), s.signJWTNode(span.NewReader()), s.verifyJWTNode(newKeySets(c.HTTP)), uuidNode(), randomNode(),
		},
	}
}

// refused returns a permanent error of an input.
func refused(format string, args ...any) error {
	return node.Permanent(node.Errorf(node.CodeInvalidInput, format, args...))
}
