package listops

import (
	"context"

	"github.com/svcflow/svc/engine/node"
)

type lengthIn struct {
	List []any `port:"list" doc:"The list."`
}

type lengthOut struct {
	Length int `port:"length" doc:"How many items it has."`
}

func lengthNode() node.Node {
	return node.Func("listops.length", "Length", length).Pure().Inline().
		Aliases("count items, size, how many", "anzahl, zählen, länge").Doc(
		"Counts the items of a list: `[\"a\",\"b\"]` has 2.")
}

func length(_ context.Context, in lengthIn) (lengthOut, error) {
	return lengthOut{len(in.List)}, nil
}
