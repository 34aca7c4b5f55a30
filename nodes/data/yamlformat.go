package data

import (
	"context"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

type yamlFormatIn struct {
	Value any `port:"value" widget:"json" doc:"What to write."`
}

// writeTimes is how much memory formatting takes, as a multiple of the value's size.
const writeTimes = 4

func yamlFormatNode() node.Node {
	format := func(ctx context.Context, in yamlFormatIn) (out formattedOut, err error) {
		if err := node.Hold(ctx, writeTimes*value.Weight(in.Value)); err != nil {
			return out, err
		}
		plain, err := value.Decode(value.Encode(in.Value)) // converts media and credentials to plain JSON values
		if err != nil {
			return out, reading.Invalid("the value cannot be written: %s", err)
		}
		var b strings.Builder
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(plain); err != nil {
			return out, reading.Invalid("the value cannot be written: %s", err)
		}
		return formattedOut{b.String()}, e.Close()
	}
	return node.Func("data.yaml_format", "Write YAML", format).Pure().
		Aliases("yaml, to yaml, config file", "yaml, yaml schreiben, einstellungen").
		Example(map[string]any{"value": map[string]any{"name": "Ada", "languages": []any{"English", "French"}}}).Doc(
		"Writes a value as YAML, keys sorted: `{\"name\":\"Ada\"}` gives `name: Ada`. Texts that look like something else, such as `no` or `12`, are quoted.")
}
