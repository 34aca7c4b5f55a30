package ionode

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// userAgent is the default User-Agent header.
const userAgent = "svc/1"

// headerOf converts a record to headers. Its errors never quote the value of a header,
// which may be secret.
func headerOf(record map[string]any) (http.Header, error) {
	h := http.Header{"User-Agent": {userAgent}}
	given := make(map[string]bool, len(record))
	for name, v := range record {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, node.Errorf(node.CodeInvalidInput, "%q is no header name; use letters, digits and -", name)
		}
		texts, ok := textsOf(v)
		if !ok {
			return nil, node.Errorf(node.CodeInvalidInput, "header %q has to be a text, number or bool, or a list of them", name)
		}
		key := http.CanonicalHeaderKey(name)
		if given[key] {
			return nil, node.Errorf(node.CodeInvalidInput, "header %q is given twice, in different spellings; use one with a list", key)
		}
		given[key] = true
		for i, text := range texts {
			if texts[i] = strings.TrimSpace(text); !httpguts.ValidHeaderFieldValue(texts[i]) {
				return nil, node.Errorf(node.CodeInvalidInput, "the value of header %q has a line break or control character; remove it", name)
			}
		}
		if len(texts) > 0 {
			h[key] = texts
		}
	}
	return h, nil
}

// textsOf returns the values of a header or query parameter: the items of a list, or none
// for null.
func textsOf(v any) ([]string, bool) {
	items, isList := v.([]any)
	if !isList {
		items = []any{v}
	}
	texts := make([]string, 0, len(items))
	for _, item := range items {
		switch item := item.(type) {
		case nil:
		case string:
			texts = append(texts, item)
		case bool, int, float64:
			texts = append(texts, string(value.Append(nil, item)))
		default:
			return nil, false
		}
	}
	return texts, true
}
