package jsonnode

import (
	"context"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func parseNode() node.Node {
	spec := node.Spec{
		Type:     "json.parse",
		Label:    "Parse JSON",
		Aliases:  node.Words("read json, decode, from text", "json lesen, einlesen"),
		Example:  &node.Example{Config: map[string]any{"text": `{"name":"Ada","born":1815}`}},
		Converts: []node.Conversion{{From: value.String(), To: value.RecordOf()}},
		Description: "Reads a JSON text. `{\"n\": 1}` gives a record with the field n.\n\n" +
			"Text that is no JSON does not fail the node: `ok` is false and `error` says where it is wrong, so branch on `ok`. " +
			"Of two fields with the same name the last one counts. Whole numbers of up to 64 bits keep all their digits. " +
			"A byte order mark is ignored, and half a character (`\\ud83d`) becomes U+FFFD. Comments, commas after the last value, NaN and several values are no JSON.",
		Inputs: []node.Port{{Name: "text", Type: value.String(), Description: "The JSON text.", Widget: "multiline"}},
		Outputs: []node.Port{
			{Name: "value", Type: value.Any(), Description: "What the text says; null if it is no JSON."},
			{Name: "ok", Type: value.Bool(), Description: "Whether the text is JSON."},
			{Name: "error", Type: value.String().OrNull(), Description: "What is wrong, with line and column; null if nothing is."},
		},
		Pure: true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, parse)}
}

func parse(ctx context.Context, in, out []any) error {
	text, _ := in[0].(string)
	text = strings.TrimPrefix(text, "\ufeff") // RFC 8259, 8.1: readers may ignore it
	if err := node.Hold(ctx, len(text)+value.DecodedWeight(text)); err != nil {
		return err
	}
	v, err := value.DecodeText(text)
	out[0], out[1], out[2] = v, err == nil, nil
	if err != nil {
		out[2] = diagnosis(text, err)
	}
	return nil
}
