package trigger

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The limits of a form's content.
const (
	mostParts     = 1000
	mostFormFiles = 100
)

// content decodes a body by its type: JSON to a value, a form to a record, text to text, and
// everything else to base64. It also returns the body as text, and the files in it.
func content(call *node.HookCall) (body any, raw string, files []part, err error) {
	if raw = string(call.Body); !utf8.ValidString(raw) {
		raw = base64.StdEncoding.EncodeToString(call.Body)
	}
	media, params, err := mime.ParseMediaType(first(call, "Content-Type"))
	switch {
	case len(call.Body) == 0:
		return nil, raw, nil, nil
	case err != nil && first(call, "Content-Type") != "":
		return nil, raw, nil, malformed(http.StatusUnsupportedMediaType, "unsupported_media_type", "the Content-Type is not written as it should be")
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		if body, err = value.Decode(call.Body); err != nil {
			return nil, raw, nil, malformed(http.StatusBadRequest, "malformed", "the body is no JSON: "+err.Error())
		}
		return body, raw, nil, nil
	case media == "application/x-www-form-urlencoded":
		form, err := url.ParseQuery(string(call.Body))
		if err != nil {
			return nil, raw, nil, malformed(http.StatusBadRequest, "malformed", "the body is no form: a % in it has no two digits behind it, or there is a ;")
		}
		return record(form), raw, nil, nil
	case media == "multipart/form-data":
		form, files, err := parts(call.Body, params["boundary"])
		return record(form), "", files, err
	}
	return raw, raw, nil, nil
}

// part is a file in a form.
type part struct {
	field string
	node.Upload
}

// parts reads a form with files (multipart/form-data).
func parts(body []byte, boundary string) (map[string][]string, []part, error) {
	form, files := map[string][]string{}, []part(nil)
	in := multipart.NewReader(bytes.NewReader(body), boundary)
	for n := 0; ; n++ {
		p, err := in.NextPart()
		if errors.Is(err, io.EOF) {
			return form, files, nil
		}
		if err == nil && (n == mostParts || len(files) > mostFormFiles) {
			return nil, nil, malformed(http.StatusRequestEntityTooLarge, "too_large", "the form has too many parts")
		}
		var data []byte
		if err == nil {
			data, err = io.ReadAll(p)
		}
		if err != nil {
			return nil, nil, malformed(http.StatusBadRequest, "malformed", "the body is no form of parts, or ends too early")
		}
		if p.FileName() == "" {
			form[p.FormName()] = append(form[p.FormName()], string(data))
			continue
		}
		kind, _, err := mime.ParseMediaType(p.Header.Get("Content-Type"))
		if err != nil {
			kind = "application/octet-stream"
		}
		files = append(files, part{p.FormName(), node.Upload{Name: p.FileName(), MIME: kind, Data: data}})
	}
}

func malformed(status int, code, message string) error {
	return &node.HookError{Status: status, Code: code, Message: message}
}

// record converts names with texts to a record. Several texts of one name become a list.
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

// headers returns the headers that are not hidden, by lower-case name. Several values are
// joined by commas.
func headers(call *node.HookCall, hidden []string) map[string]any {
	made := map[string]any{}
	for name, texts := range call.Header {
		if !slices.Contains(hidden, name) {
			made[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(texts, ", "), "\uFFFD")
		}
	}
	return made
}
