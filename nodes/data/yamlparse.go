package data

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type documentsOut struct {
	Value     any   `port:"value" doc:"The first document."`
	Documents []any `port:"documents" doc:"All documents, in order."`
}

func (d disk) yamlParseNode() node.Node {
	return fromOne(node.Func("data.yaml_parse", "Read YAML", d.yamlParse).
		Aliases("yaml, yml, config file, front matter", "yaml, yml, einstellungen lesen").
		Example(map[string]any{"text": "name: Ada\nlanguages:\n  - English\n  - French\n"}).Doc(
		"Makes values of YAML: `name: Ada` gives `{\"name\":\"Ada\"}`. Documents that follow each other, with `---` between, are all in `documents`. " +
			"Times stay texts. References (`*name`) are followed as often as they stand there, which is bounded; what is malformed fails with its line."))
}

func (d disk) yamlParse(ctx context.Context, in source) (out documentsOut, err error) {
	text, err := d.whole(ctx, in, markupTimes)
	if err != nil {
		return out, err
	}
	out.Documents = []any{}
	decoder := yaml.NewDecoder(strings.NewReader(text))
	u := unfolding{ctx: ctx, around: map[*yaml.Node]bool{}}
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return out, wrong("%s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		v, err := u.value(&document, 0)
		if err != nil {
			return out, err
		}
		out.Documents = append(out.Documents, v)
	}
	if len(out.Documents) > 0 {
		out.Value = out.Documents[0]
	}
	return out, bounded(out.Documents)
}

// unfolding converts YAML nodes to values. It counts the values that it makes: nested
// aliases can turn a short text into a huge value.
type unfolding struct {
	ctx    context.Context
	made   int
	around map[*yaml.Node]bool // anchors that are being resolved, to detect cycles
}

func (u *unfolding) value(n *yaml.Node, depth int) (any, error) {
	if u.made++; u.made > limit.Unfolded {
		return nil, tooMuch("line %d: the references make more than %d values of the text", n.Line, limit.Unfolded)
	}
	if depth > value.MaxDepth {
		return nil, tooMuch("line %d: lists and records nest deeper than %d", n.Line, value.MaxDepth)
	}
	if err := node.Hold(u.ctx, len(n.Value)+value.ListWeight(1)); err != nil {
		return nil, err
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return u.value(n.Content[0], depth)
	case yaml.AliasNode:
		if u.around[n.Alias] {
			return nil, wrong("line %d: *%s refers to what it is in", n.Line, n.Value)
		}
		u.around[n.Alias] = true
		defer delete(u.around, n.Alias)
		return u.value(n.Alias, depth)
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			v, err := u.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case yaml.MappingNode:
		return u.record(n, depth)
	}
	return scalar(n)
}

// record converts a mapping. Its own keys override the merged ones (<<).
func (u *unfolding) record(n *yaml.Node, depth int) (any, error) {
	made, merged := map[string]any{}, []any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		v, err := u.value(n.Content[i+1], depth+1)
		if err != nil {
			return nil, err
		}
		if key.ShortTag() == "!!merge" {
			merged = append(merged, v)
			continue
		}
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return nil, wrong("line %d: a key is a list or a record; only texts can be one", key.Line)
		}
		if _, twice := made[key.Value]; twice {
			return nil, wrong("line %d: the key %q stands twice", key.Line, cut(key.Value))
		}
		made[strings.ToValidUTF8(key.Value, "\uFFFD")] = v
	}
	for _, m := range merged {
		records, isList := m.([]any)
		if !isList {
			records = []any{m}
		}
		for _, r := range records {
			record, isRecord := r.(map[string]any)
			if !isRecord {
				return nil, wrong("line %d: what << merges is no record", n.Line)
			}
			for k, v := range record {
				if _, own := made[k]; !own {
					made[k] = v
				}
			}
		}
	}
	return made, nil
}

func scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool", "!!int", "!!float":
		var v any
		if err := n.Decode(&v); err != nil {
			return nil, wrong("line %d: %s", n.Line, strings.TrimPrefix(err.Error(), "yaml: "))
		}
		return number(v, n)
	}
	return strings.ToValidUTF8(n.Value, "\uFFFD"), nil
}

func number(v any, n *yaml.Node) (any, error) {
	switch v := v.(type) {
	case int64:
		return int(v), nil
	case uint64:
		return float64(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, wrong("line %d: %s is no number that can be calculated with", n.Line, n.Value)
		}
	}
	return v, nil
}
