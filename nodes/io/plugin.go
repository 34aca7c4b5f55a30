// Package ionode holds the "io" nodes, through which a workflow meets the world:
// its own inputs and outputs, HTTP, files and environment variables.
//
// The nodes decide nothing about what may be reached. They go through the [Env]
// they are given, and whoever builds that sets the rules.
package ionode

import (
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// Env is what the nodes may reach. A field that is left out is out of reach: the
// nodes that need it fail with the code forbidden.
type Env struct {
	// HTTP makes the requests. Its transport decides which addresses are dialled
	// and refuses the others with a [node.Error].
	HTTP *http.Client
	// Files is where the file nodes read and write.
	Files Files
	// Getenv looks up an environment variable. A name that workflows must not
	// read is an error with the code forbidden.
	Getenv func(name string) (value string, found bool, err error)
	// Variables are the names of the environment variables that there are and that
	// workflows may read; nil tells none.
	Variables func() []string
	// Networks are those that credentials may be of, and where they may be sent.
	Networks network.Table
	// Credentials is where secrets come from.
	Credentials credentials.Provider
}

// What a body or file may weigh unless the node says otherwise, and at most: all
// of it is held in memory. What goes straight into a file may weigh more.
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
			files.readNode(), files.writeNode(), files.listNode(), files.resolveNode(),
			envNode(env.Getenv, env.Variables),
		},
	}
}

// sendable returns the names of the networks whose credentials requests may carry: those
// that say themselves where they may be sent, and those of logins.
func sendable(table network.Table) []string {
	var names []string
	for _, n := range table.All() {
		if n.Kind == network.KindAny || n.Kind == network.KindOAuth && len(n.Hosts) > 0 {
			names = append(names, n.Name)
		}
	}
	if names == nil { // no table: for looking at the node types
		names = []string{"http"}
	}
	return names
}

// withNetworks sets which networks a node's input credential takes.
func withNetworks(n node.Node, networks []string) node.Node {
	for i := range n.Spec.Inputs {
		if n.Spec.Inputs[i].Name == "credential" {
			n.Spec.Inputs[i].Networks = networks
		}
	}
	return n
}

// complete fills what is missing with what refuses.
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
