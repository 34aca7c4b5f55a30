package expr

import "github.com/svcflow/svc/engine/value"

// Plain returns the JSON form of v if it is a credential or media, else v. Expressions,
// sorting and keys use only this form, except in lists that the expression library
// processes itself.
func Plain(v any) any {
	switch v.(type) {
	case value.Credential, value.Media:
		return spelt(v)
	}
	return v
}

// spelt is separate from Plain so that the compiler can inline Plain, which is called for
// every field.
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
