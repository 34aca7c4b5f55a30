package ionode

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
)

// hidden replaces parts of a URL that may be secret in messages.
const hidden = "…"

// The limits of a URL in messages.
const (
	shownSegments   = 12
	shownParameters = 8
	longestSegment  = 64
	shortestKey     = 20
)

// place returns a URL for messages: host, port and path. It leaves out parts that may be
// secret: the user, the values of the query, and path segments that look like keys, which
// many webhooks have.
func place(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	if len(segments) > shownSegments {
		segments = append(segments[:shownSegments], hidden)
	}
	for i, segment := range segments {
		if looksLikeKey(segment) {
			segments[i] = hidden
		}
	}
	return u.Host + strings.Join(segments, "/") + parameters(u.RawQuery)
}

// parameters returns the names in a query.
func parameters(query string) string {
	if query == "" {
		return ""
	}
	parts := strings.Split(query, "&")
	if len(parts) > shownParameters {
		parts = append(parts[:shownParameters], hidden)
	}
	for i, part := range parts {
		name, _, named := strings.Cut(part, "=")
		if !named || looksLikeKey(name) {
			parts[i] = hidden
			continue
		}
		parts[i] = name + "=" + hidden
	}
	return "?" + strings.Join(parts, "&")
}

// looksLikeKey reports whether a text is long and mixes letters and digits.
func looksLikeKey(text string) bool {
	return len(text) > longestSegment ||
		len(text) >= shortestKey && strings.ContainsAny(text, "0123456789") && strings.ContainsFunc(text, unicode.IsLetter)
}

// where returns the method and the address of a request.
func (m *message) where() string { return m.method + " " + place(m.url) }

// maxExcerpt is how many bytes of an answer a message quotes.
const maxExcerpt = 300

// excerpt returns the type of an answer and its beginning, on one line and without the
// secrets of the run of ctx; "" for an empty answer.
func (a *answer) excerpt(ctx context.Context) string {
	if len(a.body) == 0 {
		return ""
	}
	text := a.decoded()
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return fmt.Sprintf("%s, %d bytes", a.mediaType, len(a.body))
	}
	text = oneLine(node.Redact(ctx, text))
	if len(text) > maxExcerpt {
		text = strings.ToValidUTF8(text[:maxExcerpt], "") + hidden
	}
	if a.mediaType == "" {
		return text
	}
	return a.mediaType + ": " + text
}

// oneLine returns text without line breaks and unprintable characters.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}
