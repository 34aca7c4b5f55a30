// Package code is the plugin "code": nodes that run the user's JavaScript. QuickJS runs it
// in child processes (see [Work]) with limited memory, an empty environment, and neither
// files nor network. No other package knows the JavaScript engine.
package code

import (
	"os/exec"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/apart"
)

// Plugin is the plugin, with its child processes. It starts none before the first script.
type Plugin struct {
	node.Bundle

	pool *apart.Pool
}

// New returns the plugin. command makes the process that runs scripts: a program that calls
// [Work] with its standard input and output. If it is nil, every script fails.
func New(command func() *exec.Cmd) *Plugin {
	p := &Plugin{}
	missing := ""
	if command == nil {
		missing = "The operator of this server has not allowed scripts; --code does."
	} else {
		p.pool = apart.New(command)
	}
	script := javascriptNode(p.pool)
	script.Spec.Unavailable = missing
	p.Bundle = node.Bundle{
		Name:     "code",
		Category: "Code",
		Card:     node.Card{Shape: "card", Color: "#6A1B9A", Icon: "braces"},
		Nodes:    []node.Node{script},
	}
	return p
}

// Close ends the processes. Scripts that still run end with their runs.
func (p *Plugin) Close() error {
	if p.pool == nil {
		return nil
	}
	return p.pool.Close()
}
