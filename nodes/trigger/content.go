package trigger

import (
	"encoding/base64"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/urlform"
)

// The values of the output encoding, which says what the output raw holds.
const (
	encodingText   = "text"
	encodingBase64 = "base64"
	encodingNone   = "none"
)

// mostRawUpload is how many bytes of a form with files the output raw holds. Larger forms
// would be stored twice.
const mostRawUpload = 1 << 20

// content is the body of a call.
type content struct {
	body          any // the decoded body
	raw, encoding string
	files         []part
}

// contentOf decodes a body by its type: JSON to a value, a form to a record, text to text,
// and everything else to base64.
func contentOf(call *node.HookCall) (c content, err error) {
	c.raw, c.encoding = rawOf(call.Body)
	given := first(call, "Content-Type")
	label := charset.OfType(given)
	media, params, err := mime.ParseMediaType(given)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(given), ";")
		media = strings.TrimSpace(media)
	}
	switch {
	case len(call.Body) == 0:
		return c, nil
	case given != "" && !strings.Contains(media, "/"):
		return c, malformed(http.StatusUnsupportedMediaType, "unsupported_media_type", "the Content-Type is no type such as application/json")
	case media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"):
		if c.body, err = value.DecodeLenient([]byte(decoded(call.Body, label))); err != nil {
			return c, malformed(http.StatusBadRequest, "malformed", "the body is no JSON: "+err.Error())
		}
	case media == "application/x-www-form-urlencoded":
		c.body = record(urlencoded(string(call.Body), label))
	case media == "multipart/form-data":
		var form map[string][]string
		if form, c.files, err = parts(call.Body, params["boundary"]); err != nil {
			return c, err
		}
		if c.body = record(form); len(c.files) > 0 && len(call.Body) > mostRawUpload {
			c.raw, c.encoding = "", encodingNone
		}
	default:
		c.body = textOrBase64(call.Body, label, charset.Declared(call.Body))
	}
	return c, nil
}

// rawOf returns a body without any change, which signatures need: as text if it is UTF-8, else in base64.
func rawOf(body []byte) (raw, encoding string) {
	if utf8.Valid(body) {
		return string(body), encodingText
	}
	return base64.StdEncoding.EncodeToString(body), encodingBase64
}

// textOrBase64 returns data as text if its encoding is certain: a byte order mark, one of
// the declared ones, or UTF-8. Otherwise it returns the bytes in base64, so that none is lost.
func textOrBase64(data []byte, declared ...string) string {
	if text, ok := charset.Certain(data, declared...); ok {
		return text
	}
	return base64.StdEncoding.EncodeToString(data)
}

// decoded returns data as text, and guesses the encoding if it is not certain.
func decoded(data []byte, declared string) string {
	if text, ok := charset.Certain(data, declared); ok {
		return text
	}
	text, _, _, _ := charset.Text(data, charset.Auto, declared) // errors are about labels other than auto
	return text
}

// urlencoded reads a form or a query. label is the encoding that its content type names; the
// field _charset_ is where browsers name it.
func urlencoded(text, label string) map[string][]string {
	return decodedForm(urlform.Parse(text), label)
}

// decodedForm decodes names and values of a form. Values in another encoding become base64.
func decodedForm(form map[string][]string, label string) map[string][]string {
	declared := ""
	if named := form["_charset_"]; len(named) > 0 {
		declared = named[0]
	}
	made := make(map[string][]string, len(form))
	for name, values := range form {
		name = decoded([]byte(name), label)
		for _, v := range values {
			made[name] = append(made[name], textOrBase64([]byte(v), label, declared))
		}
	}
	return made
}

func malformed(status int, code, message string) error {
	return &node.HookError{Status: status, Code: code, Message: message}
}

// record converts names with texts to a record. Several texts of one name become a list.
func record(all map[string][]string) map[string]any {
	made := make(map[string]any, len(all))
	for name, texts := range all {
		if len(texts) == 1 {
			made[name] = texts[0]
			continue
		}
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = text
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
			made[strings.ToLower(name)] = decoded([]byte(strings.Join(texts, ", ")), "")
		}
	}
	return made
}
