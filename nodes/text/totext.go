package text

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type toTextIn struct {
	Value any `port:"value" doc:"Any value."`
}

type toTextOut struct {
	Text string `port:"text" doc:"The value as text."`
}

func toTextNode() node.Node {
	return node.Func("text.to_text", "To text", toText).Pure().
		Converts(value.Any(), value.String()).
		Aliases("to string, print", "zu text, ausgeben").Doc(
		"Turns any value into text: text stays as it is, null becomes an empty text, everything else compact JSON.\n\n" +
			"`{\"a\": [1, true]}` gives `{\"a\":[1,true]}`, and `2.50` gives `2.5`.")
}

func toText(_ context.Context, in toTextIn) (toTextOut, error) {
	if s, ok := in.Value.(string); ok {
		return toTextOut{s}, nil
	}
	var b strings.Builder
	err := write(&b, in.Value)
	return toTextOut{b.String()}, err
}
