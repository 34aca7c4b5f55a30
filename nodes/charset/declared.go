package charset

import (
	"bytes"
	"mime"
	"regexp"
	"strings"

	"golang.org/x/net/html"
)

// declaredWithin is how far into a page its declaration may be, as in the WHATWG standard,
// with room for long heads.
const declaredWithin = 4096

var xmlDeclaration = regexp.MustCompile(`^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// Declared returns the encoding that a document names itself, in an XML declaration or in
// the meta elements of a page, or "".
func Declared(head []byte) string {
	head = head[:min(len(head), declaredWithin)]
	if found := xmlDeclaration.FindSubmatch(bytes.TrimPrefix(head, []byte("\ufeff"))); found != nil {
		return string(found[1])
	}
	z := html.NewTokenizer(bytes.NewReader(head))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			token := z.Token()
			if token.Data != "meta" {
				continue
			}
			if label := ofMeta(token.Attr); label != "" {
				return label
			}
		}
	}
}

// ofMeta returns the encoding that a meta element declares, or "".
func ofMeta(attributes []html.Attribute) string {
	var content string
	isType := false
	for _, a := range attributes {
		switch a.Key {
		case "charset":
			return strings.TrimSpace(a.Val)
		case "content":
			content = a.Val
		case "http-equiv":
			isType = strings.EqualFold(strings.TrimSpace(a.Val), "content-type")
		}
	}
	if !isType {
		return ""
	}
	return OfType(content)
}

// OfType returns the charset parameter of a content type, or "".
func OfType(contentType string) string {
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		return params["charset"]
	}
	_, label, found := strings.Cut(strings.ToLower(contentType), "charset=") // of a malformed type
	if !found {
		return ""
	}
	label, _, _ = strings.Cut(strings.Trim(label, ` "'`), ";")
	return strings.Trim(label, ` "'`)
}

// IsBinary reports whether data has bytes that no text has: control characters other than
// white space, escape and form feed, unless it is UTF-16 with a byte order mark.
func IsBinary(data []byte) bool {
	if e, mark := byMark(data); mark > 0 && e.enc != nil {
		return false
	}
	for _, b := range data {
		if b < ' ' && b != '\t' && b != '\n' && b != '\r' && b != '\f' && b != '\x1b' && b != '\v' || b == 0x7f {
			return true
		}
	}
	return false
}

// Certain decodes data if its encoding is certain: by a byte order mark, by one of the
// declared encodings (those that are "" or unknown, or in which data is not valid, do not
// count), or because it is UTF-8. Otherwise it returns false.
func Certain(data []byte, declared ...string) (text string, ok bool) {
	if e, mark := byMark(data); mark > 0 {
		text, replaced := e.Decode(data[mark:])
		return text, replaced == 0
	}
	for _, label := range append(declared, "utf-8") {
		e, err := ByLabel(label)
		if label == "" || err != nil || e.enc != nil && (e.name == "utf-16le" || e.name == "utf-16be") && !fits(e, data) {
			continue
		}
		if text, replaced := e.Decode(data); replaced == 0 && (e.enc == nil || !IsBinary(data)) {
			return text, true
		}
	}
	return "", false
}
