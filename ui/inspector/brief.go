package inspector

import (
	"github.com/svcflow/svc/engine/value"
)

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
