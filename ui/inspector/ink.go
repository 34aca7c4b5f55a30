package inspector

import (
	"image/color"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/kit"
	"github.com/svcflow/svc/ui/theme"
)

// inkOf returns the colour of a type.
func inkOf(t value.Type) kit.Ink {
	kind := t.Kind()
	return func(p theme.Palette) color.NRGBA {
		switch kind {
		case value.KindString, value.KindEnum:
			return p.String
		case value.KindInt:
			return p.Int
		case value.KindFloat:
			return p.Float
		case value.KindBool:
			return p.Bool
		case value.KindList:
			return p.List
		case value.KindRecord:
			return p.Record
		case value.KindCredential:
			return p.Credential
		case value.KindMedia:
			return p.Media
		default:
			return p.Any
		}
	}
}

// brief returns a type as there is room for it at the right end of a line: without
// the fields of records and the members of enums.
func brief(t value.Type) string {
	var text string
	switch t.Kind() {
	case value.KindList:
		return withNull("list<"+brief(t.Elem())+">", t)
	case value.KindRecord:
		text = "record"
	case value.KindEnum:
		text = "enum"
	default:
		return t.String()
	}
	return withNull(text, t)
}

func withNull(text string, t value.Type) string {
	if t.Nullable() {
		return text + "?"
	}
	return text
}
