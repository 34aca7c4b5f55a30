package expr

import "github.com/svcflow/svc/engine/value"

// Plain returns what stands for v in JSON if v is a credential or media, else v.
// Expressions, order and keys see nothing else, except in the lists that the
// expression library works through by itself.
func Plain(v any) any {
	switch v.(type) {
	case value.Credential, value.Media:
		return spelt(v)
	}
	return v
}

// spelt is apart from plain, which is called for every field, so that the compiler
// can put that in place.
func spelt(v any) any {
	switch v := v.(type) {
	case value.Credential:
		return string(v)
	case value.Media:
		record := map[string]any{"kind": v.Kind, "mime": v.MIME}
		if v.URL != "" {
			record["url"] = v.URL
		} else {
			record["path"] = v.Path
		}
		return record
	}
	return v
}

// IsNumber reports whether v is an int or a float.
func IsNumber(v any) bool {
	switch v.(type) {
	case int, float64:
		return true
	}
	return false
}
