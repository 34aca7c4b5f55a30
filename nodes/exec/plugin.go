// Package exec is the plugin "exec": a node that runs a command on the machine, if the
// operator has allowed that command. It never starts a shell.
package exec

import (
	"io/fs"
	"os"

	"github.com/svcflow/svc/engine/node"
)

// Files holds the folders that commands may run in.
type Files interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	MkdirAll(name string, perm fs.FileMode) error
}

// Config configures the plugin.
type Config struct {
	// Commands are the commands that may be run, by name or path.
	Commands []string
	Files    Files
	// Getenv looks up an environment variable.
	Getenv func(string) string
}

// Plugin returns the plugin.
func Plugin(c Config) node.Plugin {
	n := runNode(c)
	if len(c.Commands) == 0 {
		n.Spec.Unavailable = "No command may be run here; --exec-allow names those that may."
	}
	return node.Bundle{
		Name:     "exec",
		Category: "Code",
		Card:     node.Card{Shape: "card", Color: "#37474F", Icon: "braces"},
		Nodes:    []node.Node{n},
	}
}
