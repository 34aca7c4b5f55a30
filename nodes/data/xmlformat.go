package data

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/xmltree"
)

type xmlFormatIn struct {
	Value  map[string]any `port:"value" widget:"json" doc:"What to write, as data.xml_parse reads it."`
	Root   string         `port:"root" doc:"The name of the element around it."`
	Indent bool           `port:"indent" default:"true" doc:"Whether each element stands on a line of its own. Elements that have a text beside their elements do not, as that would change the text."`
}

type formattedOut struct {
	Text string `port:"text" doc:"What was written."`
}

func xmlFormatNode() node.Node {
	format := func(ctx context.Context, in xmlFormatIn) (formattedOut, error) {
		text, err := xmltree.Format(ctx, in.Root, in.Value, in.Indent)
		return formattedOut{text}, err
	}
	return node.Func("data.xml_format", "Write XML", format).Pure().
		Aliases("xml, to xml, soap request, json to xml", "xml, xml schreiben, soap anfrage").
		Example(map[string]any{"root": "order", "value": map[string]any{"@id": 7, "item": []any{"tea", "milk"}}}).Doc(
		"Writes a record as XML: `{\"@id\":7,\"item\":[\"tea\",\"milk\"]}` with root = `order` gives `<order id=\"7\"><item>tea</item><item>milk</item></order>`. " +
			"A field that begins with `@` is an attribute, `#text` the text, a list an element for each item, and null an empty element. Fields come sorted by name.")
}
