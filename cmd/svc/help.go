package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

type helpCmd struct {
	Command []string `arg:"" optional:"" name:"command" help:"The command to explain, such as run or runs list."`
}

// Help implements kong.HelpProvider.
func (c *helpCmd) Help() string {
	return `The same as --help behind the command.

Examples:

    svc help
    svc help runs list`
}

// Run explains the command.
func (c *helpCmd) Run(of *kong.Context) error {
	asked, err := kong.Trace(of.Kong, c.Command)
	if err != nil {
		return err
	}
	last := asked.Path[len(asked.Path)-1]
	if given := len(c.Command); depthOf(last.Node()) < given {
		return usagef("there is no command %q; `svc help` lists them all", oneLine(strings.Join(c.Command, " ")))
	}
	return asked.PrintUsage(false)
}

// depthOf returns how many words name a command.
func depthOf(n *kong.Node) (words int) {
	for ; n != nil && n.Parent != nil; n = n.Parent {
		words++
	}
	return words
}
