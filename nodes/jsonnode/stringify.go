package jsonnode

import (
	"context"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxText is the longest text that a node produces, in bytes.
const maxText = 64 << 20

type stringifyIn struct {
	Value  any  `port:"value" doc:"Any value."`
	Pretty bool `port:"pretty" default:"false" doc:"Whether to put each item and field on a line of its own."`
}

type stringifyOut struct {
	Text string `port:"text" doc:"The value as JSON."`
}

func stringifyNode() node.Node {
	return node.Func("json.stringify", "To JSON", stringify).Pure().
		Converts(value.RecordOf(), value.String()).
		Aliases("write json, encode, serialize", "json schreiben, ausgeben").Doc(
		"Writes any value as JSON, the fields of records sorted by name.\n\n" +
			"The text `hi` becomes `\"hi\"`, with its quotes; use text.to_text where they are not wanted.")
}

func stringify(ctx context.Context, in stringifyIn) (stringifyOut, error) {
	if size := value.Size(in.Value, maxText); size > limit.Shown {
		if err := node.Hold(ctx, 3*size); err != nil { // the growing buffer and the text
			return stringifyOut{}, err
		}
	}
	text, ok := value.AppendMax(nil, in.Value, maxText)
	if ok && in.Pretty {
		text, ok = value.IndentJSONMax(nil, text, maxText)
	}
	if !ok {
		return stringifyOut{}, node.Permanent(node.Errorf(node.CodeLimitExceeded,
			"the JSON is longer than %d MiB; write smaller parts", maxText>>20))
	}
	return stringifyOut{value.Text(text)}, nil
}
