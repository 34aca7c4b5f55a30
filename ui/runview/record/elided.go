package record

const elidedKey = "$elided"

// Elided reports whether v stands for a value that was too large to be told, and how
// many bytes of JSON that has.
func Elided(v any) (bytes int, ok bool) {
	record, _ := v.(map[string]any)
	if len(record) != 1 {
		return 0, false
	}
	about, _ := record[elidedKey].(map[string]any)
	switch n := about["bytes"].(type) {
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}

func elide(bytes int) any {
	return map[string]any{elidedKey: map[string]any{"bytes": bytes}}
}
