package ionode

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/service"
)

// answer is what a server sent back, unpacked.
type answer struct {
	status int
	header http.Header
	body   []byte // empty if it was saved to a file

	mediaType string // the media type in the header; "" if missing
	charset   string // its charset parameter
}

func newAnswer(resp *http.Response, body []byte) *answer {
	mediaType, params, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return &answer{status: resp.StatusCode, header: resp.Header, body: body, mediaType: mediaType, charset: params["charset"]}
}

func (a *answer) ok() bool { return a.status >= 200 && a.status <= 299 }

// codeStatus is the code of an error status that another attempt will not change.
const codeStatus = "http_status"

// statusHelp describes [answer.failure] to users.
const statusHelp = "`rate_limited` for 429, `unavailable` for 408, 425 and 5xx, all of which the node's retry setting " +
	"tries again, and `" + codeStatus + "`, which is final, for the rest.\n\n"

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

// text returns the body in base64, or as UTF-8: from the charset that a byte
// order mark or the content type names, else taken as UTF-8. Invalid bytes become
// U+FFFD, so that one wrong byte does not lose the answer.
func (a *answer) text(encoding string) string {
	if encoding == "base64" {
		return base64.StdEncoding.EncodeToString(a.body)
	}
	return strings.ToValidUTF8(string(a.decoded()), "\uFFFD")
}

func (a *answer) decoded() []byte {
	charset, err := htmlindex.Get(a.charset)
	if err != nil {
		charset = unicode.UTF8
	}
	if charset == unicode.UTF8 && utf8.Valid(a.body) && !bytes.HasPrefix(a.body, []byte(byteOrderMark)) {
		return a.body
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(charset.NewDecoder()), a.body)
	if err != nil {
		return a.body
	}
	return text
}

// byteOrderMark may begin a text in UTF-8; it is removed.
const byteOrderMark = "\uFEFF"

// json returns the body parsed as JSON, or null if it is something else. If the output json
// is wired, the content type does not matter, and a successful answer that is not JSON is a
// failure.
func (a *answer) json(ctx context.Context, m *message, wanted bool) (any, error) {
	named := a.mediaType == "application/json" || a.mediaType == "text/json" || strings.HasSuffix(a.mediaType, "+json")
	if len(a.body) == 0 || !named && !wanted {
		return nil, nil
	}
	v, err := value.DecodeLenient(a.decoded())
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
