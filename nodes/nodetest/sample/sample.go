// Package sample is a whole plugin in one folder, as small as one can be that has
// everything: ports with documentation, an example, words to search by and an icon of
// its own. Programs, documentation and windows show it without knowing it; tests hold
// them to that. It is for tests, and for reading.
package sample

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// feather is the drawing on the cards. White takes the colour of the place.
const feather = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">` +
	`<path fill="#ffffff" d="M4 20L20 4H12C8 4 6 8 6 12v4z"/><circle cx="17" cy="17" r="3" fill="none" stroke="#ffffff" stroke-width="2"/></svg>`

// Plugin returns the nodes of group sample.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "sample",
		Category: "Sample",
		Card:     node.Card{Shape: "circle", Size: 64, Color: "#7B1FA2", Icon: feather},
		Nodes:    []node.Node{echoNode()},
	}
}

type echoIn struct {
	Line  string `port:"line" doc:"The line to repeat."`
	Times int    `port:"times" default:"2" doc:"How often, 1 to 100."`
}

type echoOut struct {
	Text string `port:"text" doc:"The line, repeated."`
}

func echoNode() node.Node {
	return node.Func("sample.echo", "Echo", echo).Pure().Inline().
		Aliases("repeat, again", "echo, wiederholen").
		Example(map[string]any{"line": "hey"}).
		Doc("Repeats a line: `hey` three times gives `hey hey hey`.")
}

func echo(_ context.Context, in echoIn) (echoOut, error) {
	if in.Times < 1 || in.Times > 100 {
		return echoOut{}, node.Errorf(node.CodeInvalidInput, "times is %d; give a number from 1 to 100", in.Times)
	}
	return echoOut{strings.TrimSpace(strings.Repeat(in.Line+" ", in.Times))}, nil
}
