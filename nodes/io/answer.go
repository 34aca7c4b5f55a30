package ionode

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/charset"
	"github.com/svcflow/svc/nodes/service"
)

// answer is what a server sent back, unpacked.
type answer struct {
	status int
	header http.Header
	body   []byte // empty if it was saved to a file

	mediaType string // the media type in the header; "" if missing
	charset   string // the encoding that it names
}

func newAnswer(resp *http.Response, body []byte) *answer {
	contentType := resp.Header.Get("Content-Type")
	mediaType, _, _ := mime.ParseMediaType(contentType)
	return &answer{status: resp.StatusCode, header: resp.Header, body: body, mediaType: mediaType, charset: charset.OfType(contentType)}
}

func (a *answer) ok() bool { return a.status >= 200 && a.status <= 299 }

// codeStatus is the code of an error status that another attempt will not change.
const codeStatus = "http_status"

// statusHelp describes [answer.failure] to users.
const statusHelp = "`rate_limited` for 429, `unavailable` for 408, 425 and 5xx, all of which the node's retry setting " +
	"tries again, and `" + codeStatus + "`, which is final, for the rest. The message has what the server says. "

// noFailureHelp says how to get an error status as an answer.
const noFailureHelp = "With `failOnStatus` = false it is an answer like others, and `ok` is false.\n\n"

// failure returns an error for an error status, nil for others. With respect, the next
// attempt waits as long as the server asks.
func (a *answer) failure(ctx context.Context, m *message, respect bool) error {
	if a.status < http.StatusBadRequest {
		return nil
	}
	err := &node.Error{
		Code:    codeStatus,
		Message: strings.TrimSpace(fmt.Sprintf("%s: the server answered %d %s", m.where(), a.status, http.StatusText(a.status))),
	}
	switch {
	case a.status == http.StatusTooManyRequests:
		err.Code = node.CodeRateLimited
	case a.status >= http.StatusInternalServerError, a.status == http.StatusRequestTimeout, a.status == http.StatusTooEarly:
		err.Code = node.CodeUnavailable
	default:
		err.Permanent = true
	}
	if wait, ok := service.RetryAfter(a.status, a.header); ok && respect && wait > 0 {
		err.RetryAfter = wait
		err.Message += fmt.Sprintf(" and asks to wait %v", wait.Round(time.Second))
	}
	if said := a.excerpt(ctx); said != "" {
		err.Message += ": " + said
	}
	return err
}

// The values of the output encoding, which says what a text output holds.
const (
	encodingText   = "text"
	encodingBase64 = "base64"
)

// text returns the body, and whether that is text or base64. label is the encoding that the
// user asked for: auto, base64 or the name of one. With auto, the body is text if its
// encoding is certain (a byte order mark, the content type, its own declaration, or valid
// UTF-8), else base64.
func (a *answer) text(label string) (body, encoding string, err error) {
	if label == encodingBase64 {
		return base64.StdEncoding.EncodeToString(a.body), encodingBase64, nil
	}
	if label != charset.Auto {
		text, _, _, err := charset.Text(a.body, label, "")
		if err != nil {
			return "", "", permanent(node.CodeInvalidInput, "encoding: %w", err)
		}
		return text, encodingText, nil
	}
	if text, ok := charset.Certain(a.body, a.charset, charset.Declared(a.body)); ok {
		return text, encodingText, nil
	}
	return base64.StdEncoding.EncodeToString(a.body), encodingBase64, nil
}

// decoded returns the body as text for programs and messages: what is not valid becomes
// U+FFFD.
func (a *answer) decoded() string {
	text, _, _, err := charset.Text(a.body, a.charset, "")
	if err != nil { // the content type names an encoding that does not exist
		text, _, _, _ = charset.Text(a.body, charset.Auto, "")
	}
	return text
}

// json returns the body parsed as JSON, or null if it is something else. If the output json
// is wired, the content type does not matter, and a successful answer that is not JSON is a
// failure.
func (a *answer) json(ctx context.Context, m *message, wanted bool) (any, error) {
	named := a.mediaType == "application/json" || a.mediaType == "text/json" || strings.HasSuffix(a.mediaType, "+json")
	if len(a.body) == 0 || !named && !wanted {
		return nil, nil
	}
	v, err := value.DecodeLenient([]byte(a.decoded()))
	switch {
	case err == nil:
		return v, nil
	case !wanted || !a.ok():
		return nil, nil
	case named:
		return nil, permanent(service.CodeBadAnswer, "%s: the answer is said to be JSON and is not: %s", m.where(), a.excerpt(ctx))
	}
	return nil, permanent(service.CodeBadAnswer, "%s: the answer was %s, not JSON: %s", m.where(), cmp.Or(a.mediaType, "text"), a.excerpt(ctx))
}

// headers returns the headers by lower-case name. Only set-cookie is a list: its
// values hold commas, so they cannot be joined (RFC 9110, section 5.3).
func (a *answer) headers() map[string]any {
	record := make(map[string]any, len(a.header))
	for name, values := range a.header {
		if name == "Set-Cookie" {
			cookies := make([]any, len(values))
			for i, v := range values {
				cookies[i] = strings.ToValidUTF8(v, "\uFFFD")
			}
			record["set-cookie"] = cookies
			continue
		}
		record[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")
	}
	return record
}
