// Package page parses HTML pages and reads parts of them as cheerio does.
package page

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/svcflow/svc/nodes/data/xmltree"
)

// Parse parses a page. Any text is valid HTML, but elements may nest at most 512 levels
// deep. What is in noscript elements is text, as in a browser that runs scripts.
func Parse(text string) (*html.Node, error) {
	return html.Parse(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
}

// meta matches an element that declares the encoding.
var meta = regexp.MustCompile(`(?i)<meta[^>]+charset\s*=\s*["']?\s*([a-z0-9_:.-]+)`)

// Declared returns the encoding that a page declares in a meta element or an XML
// declaration, or "".
func Declared(data []byte) string {
	if declared := xmltree.Declared(data); declared != "" {
		return declared
	}
	if _, name, certain := charset.DetermineEncoding(data[:min(len(data), 1024)], ""); certain {
		return name
	}
	if m := meta.FindSubmatch(data[:min(len(data), 64<<10)]); m != nil {
		return string(m[1]) // later than browsers look for it
	}
	return ""
}

// Attribute returns an attribute of an element. Attributes such as xlink:href have the
// prefix in their names; one such as disabled, which is true where it stands, has its name
// as its value.
func Attribute(n *html.Node, name string) (string, bool) {
	for i := range n.Attr {
		a := &n.Attr[i]
		if a.Namespace == "" && a.Key == name || a.Namespace != "" && a.Namespace+":"+a.Key == name {
			if isBoolean(name) {
				return name, true
			}
			return a.Val, true
		}
	}
	return "", false
}

// isBoolean reports whether an attribute is true where it stands.
func isBoolean(name string) bool {
	switch name {
	case "autofocus", "autoplay", "async", "checked", "controls", "defer", "disabled", "hidden", "loop", "multiple", "open", "readonly", "required", "scoped", "selected":
		return true
	}
	return false
}

// Text returns all text in an element, as textContent of a browser: nothing is between
// inline elements, and scripts have text. White space is collapsed, except in elements whose
// text is code or data: script, style, pre and textarea.
func Text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Pre, atom.Textarea:
		return strings.TrimSpace(b.String())
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Markup returns an element as HTML, as innerHTML and outerHTML of a browser write it.
func Markup(n *html.Node) string {
	var b strings.Builder
	write(&b, n)
	return b.String()
}

var (
	textEscaper      = strings.NewReplacer("&", "&amp;", "\u00a0", "&nbsp;", "<", "&lt;", ">", "&gt;") //nolint:gochecknoglobals // a constant table
	attributeEscaper = strings.NewReplacer("&", "&amp;", "\u00a0", "&nbsp;", `"`, "&quot;")            //nolint:gochecknoglobals // a constant table
)

func write(b *strings.Builder, n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if n.Parent != nil && isRaw(n.Parent.DataAtom) {
			b.WriteString(n.Data)
		} else {
			_, _ = textEscaper.WriteString(b, n.Data) // a Builder has no errors
		}
		return
	case html.CommentNode:
		b.WriteString("<!--" + n.Data + "-->")
		return
	case html.DoctypeNode:
		b.WriteString("<!DOCTYPE " + n.Data + ">")
		return
	case html.ElementNode:
		b.WriteString("<" + n.Data)
		for i := range n.Attr {
			a := &n.Attr[i]
			b.WriteByte(' ')
			if a.Namespace != "" {
				b.WriteString(a.Namespace + ":")
			}
			b.WriteString(a.Key + `="`)
			_, _ = attributeEscaper.WriteString(b, a.Val)
			b.WriteByte('"')
		}
		b.WriteByte('>')
		if isVoid(n.DataAtom) && n.Namespace == "" {
			return
		}
		defer b.WriteString("</" + n.Data + ">")
	}
	for child := range n.ChildNodes() {
		write(b, child)
	}
}

// isRaw reports whether the text of an element is not escaped.
func isRaw(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Xmp, atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext:
		return true
	}
	return false
}

// isVoid reports whether an element has no end tag.
func isVoid(tag atom.Atom) bool {
	switch tag {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}
