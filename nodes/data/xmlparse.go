package data

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/xmltree"
	"github.com/svcflow/svc/nodes/reading"
)

type xmlParseIn struct {
	reading.Source

	Lists      []string `port:"lists" default:"[]" doc:"Elements that are always lists, also where there is one only."`
	Attributes string   `port:"attributes" default:"@" doc:"What stands before the names of attributes."`
}

type valueOut struct {
	Value any `port:"value" doc:"What was read."`
}

func (d disk) xmlParseNode() node.Node {
	return reading.Node(node.Func("data.xml_parse", "Read XML", d.xmlParse).
		Aliases("xml, soap, parse xml, xml to json", "xml, soap, xml lesen, xml umwandeln").
		Example(map[string]any{"text": `<order id="7"><item>tea</item><item>milk</item></order>`}).Doc(
		"Makes records of XML: `<order id=\"7\"><item>tea</item><item>milk</item></order>` gives `{\"order\":{\"@id\":\"7\",\"item\":[\"tea\",\"milk\"]}}`. "+
			"An element that stands once is a value, several are a list; `lists` names those that are always one. An element with attributes or elements has its own text "+
			"in `#text`: all of it in order, without the elements between. White space between elements is left out, unless `xml:space=\"preserve\"` keeps it. "+
			"All values are texts; an empty element is an empty text. Prefixes stay as they are written.\n\n"+
			"A file is decoded by its byte order mark or as its XML declaration says. A text was decoded before, so its declaration is ignored. "+
			"HTML entities such as `&nbsp;` and blank lines before the declaration are repaired. What is malformed otherwise fails with its line, and so do entities of a document's own. "+
			"Nothing outside of the document is read."), "path", "text", "base64")
}

func (d disk) xmlParse(ctx context.Context, in xmlParseIn) (valueOut, error) {
	input, err := in.Whole(ctx, d.Files, markupTimes)
	if err != nil {
		return valueOut{}, err
	}
	notes := reading.NotesOf(ctx)
	text, err := input.Text(notes, xmltree.Declared(input.Data))
	if err != nil {
		return valueOut{}, err
	}
	root, err := xmltree.Parse(ctx, text, xmltree.Options{Lists: in.Lists, Attributes: in.Attributes}, notes)
	if err != nil {
		return valueOut{}, err
	}
	return valueOut{root}, nil
}
