package trigger

import (
	"encoding/base64"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// content returns what a body says, by its type: JSON as a value, a form as a record, text
// as text, and everything else in base64; and the body as text.
func content(call *node.HookCall) (body any, raw string, err error) {
	if raw = string(call.Body); !utf8.ValidString(raw) {
		raw = base64.StdEncoding.EncodeToString(call.Body)
	}
	media, _, err := mime.ParseMediaType(first(call, "Content-Type"))
	switch {
	case len(call.Body) == 0:
		return nil, raw, nil
	case err != nil && first(call, "Content-Type") != "":
		return nil, raw, malformed(http.StatusUnsupportedMediaType, "unsupported_media_type", "the Content-Type is not written as it should be")
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		if body, err = value.Decode(call.Body); err != nil {
			return nil, raw, malformed(http.StatusBadRequest, "malformed", "the body is no JSON: "+err.Error())
		}
		return body, raw, nil
	case media == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(call.Body))
		if err != nil {
			return nil, raw, malformed(http.StatusBadRequest, "malformed", "the body is no form: a % in it has no two digits behind it, or there is a ;")
		}
		return record(form), raw, nil
	}
	return raw, raw, nil
}

func malformed(status int, code, message string) error {
	return &node.HookError{Status: status, Code: code, Message: message}
}

// record makes a record of texts by name; where there are several, it is a list.
func record(all map[string][]string) map[string]any {
	made := make(map[string]any, len(all))
	for name, texts := range all {
		if !utf8.ValidString(name) {
			continue
		}
		if len(texts) == 1 {
			made[name] = strings.ToValidUTF8(texts[0], "\uFFFD")
			continue
		}
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = strings.ToValidUTF8(text, "\uFFFD")
		}
		made[name] = list
	}
	return made
}

// headers returns those that are not hidden, in lower case, with commas between several.
func headers(call *node.HookCall, hidden []string) map[string]any {
	made := map[string]any{}
	for name, texts := range call.Header {
		if !slices.Contains(hidden, name) {
			made[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(texts, ", "), "\uFFFD")
		}
	}
	return made
}
