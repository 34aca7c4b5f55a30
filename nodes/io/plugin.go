// Package ionode is the plugin "io": nodes for a workflow's inputs and outputs, HTTP, files
// and environment variables.
//
// The nodes enforce no access rules. They use the [Env] that they are given, and the
// program that builds it sets the rules.
package ionode

import (
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// Env gives the nodes access to the outside. If a field is nil, the nodes that need it fail
// with the code forbidden.
type Env struct {
	// HTTP sends the requests. Its transport decides which addresses may be reached, and
	// refuses others with a [node.Error].
	HTTP *http.Client
	// Files holds the files that the nodes read and write.
	Files Files
	// Getenv looks up an environment variable. For a variable that workflows must not read,
	// it returns an error with the code forbidden.
	Getenv func(name string) (value string, found bool, err error)
	// Variables returns the names of the existing environment variables that workflows may
	// read; nil means none.
	Variables func() []string
	// Networks is the table of the credentials' networks, with the hosts that may receive
	// them.
	Networks network.Table
	// Credentials provides the secrets.
	Credentials credentials.Provider
}

// The default and the largest size of a body or file that is held in memory. A body that is
// saved to a file may be larger.
const (
	defaultMaxBytes = 10 << 20
	highestMaxBytes = 100 << 20
	highestSaved    = 10 << 30
)

// Plugin returns the nodes of group io.
func Plugin(env Env) node.Plugin {
	env = env.complete()
	h := newExchange(env)
	hook, files := webhook{h}, h.files
	networks := sendable(env.Networks)
	return node.Bundle{
		Name:     "io",
		Category: "Input and output",
		Card:     node.Card{Shape: "card", Color: "#0E7490", Icon: "plug"},
		Nodes: []node.Node{
			inputNode(), outputNode(),
			h.requestNode(networks), hook.node(networks),
			files.readNode(), files.writeNode(), files.copyNode(), files.moveNode(), files.deleteNode(), files.listNode(), files.resolveNode(),
			envNode(env.Getenv, env.Variables),
		},
	}
}

// sendable returns the names of the networks whose credentials may be sent with requests:
// networks whose credentials name their hosts, and networks with logins.
func sendable(table network.Table) []string {
	var names []string
	for _, n := range table.All() {
		if n.Kind == network.KindAny || n.Kind == network.KindOAuth && len(n.Hosts) > 0 {
			names = append(names, n.Name)
		}
	}
	if names == nil { // without a table, for listing node types
		names = []string{"http"}
	}
	return names
}

// withNetworks sets the networks of the input credential of a node.
func withNetworks(n node.Node, networks []string) node.Node {
	for i := range n.Spec.Inputs {
		if n.Spec.Inputs[i].Name == "credential" {
			n.Spec.Inputs[i].Networks = networks
		}
	}
	return n
}

// complete replaces nil fields by ones that refuse access.
func (e Env) complete() Env {
	if e.HTTP == nil {
		e.HTTP = &http.Client{Transport: noHTTP{}}
	}
	if e.Files == nil {
		e.Files = folder.None{}
	}
	if e.Getenv == nil {
		e.Getenv = func(string) (string, bool, error) {
			return "", false, node.Errorf(node.CodeForbidden, "workflows may not read environment variables here")
		}
	}
	if e.Variables == nil {
		e.Variables = func() []string { return nil }
	}
	return e
}

type noHTTP struct{}

// RoundTrip implements http.RoundTripper.
func (noHTTP) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, node.Errorf(node.CodeForbidden, "workflows may not make HTTP requests here")
}
