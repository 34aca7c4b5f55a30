package data

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/yamltext"
	"github.com/svcflow/svc/nodes/reading"
)

type documentsOut struct {
	Value     any   `port:"value" doc:"The first document."`
	Documents []any `port:"documents" doc:"All documents, in order."`
}

func (d disk) yamlParseNode() node.Node {
	return reading.Node(node.Func("data.yaml_parse", "Read YAML", d.yamlParse).
		Aliases("yaml, yml, config file, front matter", "yaml, yml, einstellungen lesen").
		Example(map[string]any{"text": "name: Ada\nlanguages:\n  - English\n  - French\n"}).Doc(
		"Makes values of YAML: `name: Ada` gives `{\"name\":\"Ada\"}`. Documents that follow each other, with `---` between, are all in `documents`.\n\n"+
			"Scalars are those of YAML 1.2: `yes` and `on` are texts. Numbers with a leading zero, such as `0644`, are octal as in YAML 1.1, and `warnings` names them. "+
			"A document with `%YAML 1.1` follows YAML 1.1, where `yes`, `no`, `on` and `off` are booleans and `1:30` is 90; one with `%YAML 1.2` follows YAML 1.2 exactly, "+
			"where `0644` is 644 and `<<` is a key. Dates and times stay texts. Whole numbers past 64 bits are rounded to floats; `.nan` and `.inf` fail.\n\n"+
			"References (`*name`) and merge keys (`<<`) are followed as often as they stand there, which is bounded. A key that stands twice fails, "+
			"and so does what is malformed, with its line."), "path", "text", "base64")
}

func (d disk) yamlParse(ctx context.Context, in reading.Source) (out documentsOut, err error) {
	input, err := in.Whole(ctx, d.Files, markupTimes)
	if err != nil {
		return out, err
	}
	notes := reading.NotesOf(ctx)
	text, err := input.Text(notes, "")
	if err != nil {
		return out, err
	}
	out.Documents, err = yamltext.Read(text, func(bytes int) error { return node.Hold(ctx, bytes) }, notes)
	if err != nil {
		return out, err
	}
	if len(out.Documents) > 0 {
		out.Value = out.Documents[0]
	}
	return out, bounded(out.Documents)
}
