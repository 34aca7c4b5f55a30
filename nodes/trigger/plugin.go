// Package trigger is the plugin "trigger": nodes that start a workflow. A trigger decides
// when it fires and with which outputs. Waiting, storing its state and starting runs is the
// job of the service that hosts the workflow (app/trigger), which knows no trigger by name.
package trigger

import (
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/zone"
)

// Config gives the nodes access to the outside. With the zero value they have no secrets,
// network or files.
type Config struct {
	// Credentials provides the secrets of hooks.
	Credentials credentials.Provider
	// HTTP makes requests for workflows.
	HTTP *http.Client
	// Files are the files of workflows.
	Files Files
}

// Plugin returns the plugin.
func Plugin(c Config) node.Plugin {
	zones := &zone.Table{}
	return node.Bundle{
		Name:     "trigger",
		Category: "Triggers",
		Card:     node.Card{Shape: "card", Color: "#B45309", Icon: "bolt"},
		Nodes: []node.Node{
			manualNode(), scheduleNode(zones),
			webhookNode(service.Resolver{Provider: c.Credentials}), respondNode(c.Files), formNode(service.Resolver{Provider: c.Credentials}),
			feedNode(c.HTTP), fileNode(c.Files), pollNode(zones), errorNode(), finishedNode(),
		},
	}
}

// timeLayout is the format of times in outputs.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// setting makes p a literal input, as all inputs of triggers are.
func setting(p node.Port) node.Port {
	p.Literal = true
	return p
}
