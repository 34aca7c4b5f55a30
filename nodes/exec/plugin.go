// Package exec is the plugin "exec": a node that runs a command of the machine, if its
// operator has named that command. There is no shell anywhere.
package exec

import (
	"io/fs"
	"os"

	"github.com/svcflow/svc/engine/node"
)

// Files are the folders that commands may be run in.
type Files interface {
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	MkdirAll(name string, perm fs.FileMode) error
}

// Config is what the plugin is made of.
type Config struct {
	// Commands are those that may be run, by name or path; no others can.
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
