// Package preview is the built-in plugin "preview": nodes that show the values that pass
// through them. The nodes only pass the values on. Their specs say what to show
// (node.Shows), and package view renders it.
package preview

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Plugin returns the plugin.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "preview",
		Category: "Preview",
		Card:     node.Card{Shape: "card", Color: "#6D4C41", Icon: "eye"},
		Nodes:    []node.Node{viewNode(), tableNode(), imageNode(), mediaNode()},
	}
}

func viewNode() node.Node {
	spec := node.Spec{
		Type:    "preview.view",
		Label:   "View",
		Aliases: node.Words("show, inspect, debug, log", "anzeigen, ansehen, prüfen"),
		Description: "Shows a value on its card and passes it on unchanged.\n\n" +
			"With as = `markdown` the text `**done**` is shown as **done**; `auto` shows text as text and everything else as JSON.",
		Inputs: []node.Port{
			{Name: "value", Type: value.Any(), Description: "The value to show."},
			{
				Name: "as", Type: value.EnumOf("auto", "text", "json", "markdown"), Optional: true, Default: "auto",
				Description: "How to show it.",
			},
		},
		Outputs: []node.Port{{Name: "value", Type: value.Any(), Description: "The same value."}},
		Pure:    true,
		Inline:  true,
		Shows:   node.Shows{Port: "value", As: "as"},
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, pass)}
}

func pass(_ context.Context, in, out []any) error {
	out[0] = in[0]
	return nil
}
