package value

// ZeroValue returns the simplest value of a type: null if that is allowed, an empty text,
// 0, false, an empty list. Media and credentials have no such value, so it is null for them
// as well.
func ZeroValue(t Type) any {
	if t.Nullable() {
		return nil
	}
	switch t.Kind() {
	case KindString:
		return ""
	case KindBool:
		return false
	case KindInt:
		return 0
	case KindFloat:
		return 0.0
	case KindEnum:
		return t.Members()[0]
	case KindList:
		return []any{}
	case KindRecord:
		record := map[string]any{}
		for _, f := range t.Fields() {
			record[f.Name] = ZeroValue(f.Type)
		}
		return record
	case KindAny, KindCredential, KindMedia:
	}
	return nil
}
