package text

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func joinNode() node.Node {
	return joining(node.Spec{
		Type:     "text.join",
		Label:    "Join text",
		Aliases:  node.Words("list to text, implode, comma separated", "liste zu text, verbinden, kommagetrennt"),
		Converts: []node.Conversion{{From: value.ListOf(value.Any()), To: value.String()}},
		Description: "Makes one text of a list. `[\"a\",1,true]` with delimiter `, ` gives `a, 1, true`.\n\n" +
			"Text is taken as it is, null as nothing, everything else as JSON.",
		Inputs: []node.Port{
			{Name: "parts", Type: value.ListOf(value.Any()), Description: "What to join."},
			{Name: "delimiter", Type: value.String(), Optional: true, Default: ",", Description: "What to put between the parts."},
		},
		Outputs: []node.Port{{Name: "text", Type: value.String(), Description: "All parts, in order."}},
	})
}

func concatNode() node.Node {
	return joining(node.Spec{
		Type:    "text.concat",
		Label:   "Concatenate",
		Aliases: node.Words("append text, join, combine", "text verbinden, anhängen"),
		Description: "Puts texts one behind the other. Wire each text into `parts`, or a list of texts: " +
			"`Hello`, `, ` and `World` give `Hello, World`. The order is that of the connections.",
		Inputs: []node.Port{
			{Name: "parts", Type: value.ListOf(value.String()), Description: "The texts."},
			{Name: "separator", Type: value.String(), Optional: true, Default: "", Description: "What to put between the texts."},
		},
		Outputs: []node.Port{{Name: "text", Type: value.String(), Description: "All texts, in order."}},
	})
}

// joining makes a node of inputs list and delimiter. It takes the list as it is:
// going through a typed slice would cost more than the joining.
func joining(spec node.Spec) node.Node {
	spec.Pure, spec.Inline = true, true
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, join)}
}

// join measures first, so that it allocates once.
func join(ctx context.Context, in, out []any) error {
	parts, _ := in[0].([]any)
	delimiter, _ := in[1].(string)
	size := len(delimiter) * max(len(parts)-1, 0)
	for _, part := range parts {
		size += sizeOf(part)
	}
	if err := allow(ctx, size); err != nil {
		return err
	}
	var b strings.Builder
	b.Grow(size)
	for i, part := range parts {
		if i > 0 {
			b.WriteString(delimiter)
		}
		if err := write(&b, part); err != nil {
			return err
		}
	}
	out[0] = b.String()
	return nil
}
