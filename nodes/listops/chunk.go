package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func chunkNode() node.Node {
	spec := node.Spec{
		Type:    "listops.chunk",
		Label:   "Split list",
		Aliases: node.Words("batch, chunks, pages, split in parts", "stapel, portionen, aufteilen, blöcke"),
		Description: "Cuts a list into lists of the same size, for services that take so many items at once: size 2 makes of `[1,2,3,4,5]` " +
			"`[[1,2],[3,4],[5]]`. The last one has what is left. Wire the result into `control.foreach` to work on one after the other.",
		Inputs: []node.Port{
			listPort(),
			{Name: "size", Type: value.Int(), Default: 100, Description: "How many items each list has, 1 or more."},
		},
		Outputs: []node.Port{
			{Name: "chunks", Type: value.ListOf(value.ListOf(value.Any())), Description: "The lists, in order; none for an empty list."},
			{Name: "count", Type: value.Int(), Description: "How many lists there are."},
		},
		Pure: true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, chunk)}
}

// chunk returns slices of the input list. This is safe because values are never modified.
func chunk(_ context.Context, in, out []any) error {
	list, _ := in[0].([]any)
	size, _ := in[1].(int)
	if size < 1 {
		return node.Permanent(node.Errorf(node.CodeInvalidInput, "size is %d; a list of that size cannot be filled, so give 1 or more", size))
	}
	chunks := []any{}
	for rest := list; len(rest) > 0; {
		if err := countable(len(chunks)+1, "lists"); err != nil {
			return err
		}
		n := min(size, len(rest))
		chunks, rest = append(chunks, rest[:n:n]), rest[n:]
	}
	out[0], out[1] = chunks, len(chunks)
	return nil
}
