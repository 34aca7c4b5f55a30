package data

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/reading"
)

// maxTOML is the largest TOML document, in bytes. It is small because the library's parser
// is recursive without a limit, and TOML is for settings.
const maxTOML = 1 << 20

func (d disk) tomlParseNode() node.Node {
	parse := func(ctx context.Context, in reading.Source) (out valueOut, err error) {
		input, err := in.Whole(ctx, d.Files, markupTimes)
		if err != nil {
			return out, err
		}
		text, err := input.Text(reading.NotesOf(ctx), "")
		if err != nil {
			return out, err
		}
		if len(text) > maxTOML {
			return out, reading.TooMuch("the TOML has %d bytes; at most %d can be read", len(text), maxTOML)
		}
		var made map[string]any
		if err := toml.Unmarshal([]byte(text), &made); err != nil {
			if at, ok := errors.AsType[*toml.DecodeError](err); ok {
				line, column := at.Position()
				return out, reading.Invalid("line %d, column %d: %s", line, column, strings.TrimPrefix(at.Error(), "toml: "))
			}
			return out, reading.Invalid("%s", strings.TrimPrefix(err.Error(), "toml: "))
		}
		v, err := ofTOML(made, 0)
		return valueOut{v}, errors.Join(err, bounded(v))
	}
	return reading.Node(node.Func("data.toml_parse", "Read TOML", parse).
		Aliases("toml, config file, cargo, pyproject", "toml, einstellungen lesen").
		Example(map[string]any{"text": "name = \"Ada\"\n[address]\ncity = \"London\"\n"}).Doc(
		"Makes a record of TOML: `name = \"Ada\"` gives `{\"name\":\"Ada\"}`. Dates and times are texts. "+
			"Numbers that are no JSON, such as nan and inf, fail; what is malformed, or stands twice, fails with line and column."), "path", "text", "base64")
}

func ofTOML(v any, depth int) (made any, err error) {
	if depth > value.MaxDepth {
		return nil, reading.TooMuch("lists and records nest deeper than %d", value.MaxDepth)
	}
	switch v := v.(type) {
	case map[string]any:
		record := make(map[string]any, len(v))
		for k, e := range v {
			if record[k], err = ofTOML(e, depth+1); err != nil {
				return nil, err
			}
		}
		return record, nil
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			if list[i], err = ofTOML(e, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case int64:
		return int(v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, reading.Invalid("%v is no number that can be calculated with", v)
		}
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case fmt.Stringer: // dates and times without a zone
		return v.String(), nil
	}
	return v, nil
}
