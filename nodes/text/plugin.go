// Package text is the built-in plugin "text": nodes that make, cut and reshape
// text. Every node of it is pure. It reads and writes nothing; files and requests
// are the business of package io.
package text

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// Plugin returns the plugin.
func Plugin() node.Plugin {
	return node.Bundle{
		Name:     "text",
		Category: "Text",
		Card:     node.Card{Shape: "card", Color: "#2E7D32", Icon: "text"},
		Nodes: []node.Node{
			formatNode(), transformNode(), splitNode(), joinNode(), concatNode(), toTextNode(),
			regexNode(), replaceNode(), sliceNode(), lengthNode(), toNumberNode(), encodeNode(), decodeNode(), hashNode(),
		},
	}
}

// maxBytes bounds the text that a node makes. A text that is put into a template
// twice, and the result twice into the next, would grow without end.
const maxBytes = 64 << 20

// checkSize refuses a text of n bytes if that is too many.
func checkSize(n int) error {
	if n > maxBytes {
		return node.Permanent(node.Errorf(node.CodeLimitExceeded,
			"the text would be longer than %d MiB; work on smaller parts", maxBytes>>20))
	}
	return nil
}

// claim reserves n bytes of the run's memory for a text that is being made. Small texts
// are not reserved.
func claim(ctx context.Context, n int) error {
	if n < limit.Shown {
		return nil
	}
	return node.Hold(ctx, n)
}

// allow calls [checkSize] and [claim].
func allow(ctx context.Context, n int) error {
	if err := checkSize(n); err != nil {
		return err
	}
	return claim(ctx, n)
}

// write adds v to b as people read it: nothing for null, a string as it is, and
// all else as JSON. It fails if the text gets too long.
func write(b *strings.Builder, v any) error {
	switch v := v.(type) {
	case nil:
	case string:
		b.WriteString(v)
	case value.Credential:
		b.WriteString(string(v))
	default:
		text, ok := value.AppendMax(nil, v, maxBytes)
		if !ok {
			return checkSize(maxBytes + 1)
		}
		b.Write(text)
	}
	return checkSize(b.Len())
}

// sizeOf estimates what [write] will add for v; for text it is exact.
func sizeOf(v any) int {
	switch v := v.(type) {
	case nil:
		return 0
	case string:
		return len(v)
	}
	return 16
}
