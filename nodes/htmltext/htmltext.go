// Package htmltext converts HTML to plain text.
package htmltext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Of returns approximately the text that a browser would show: a line for each block, a
// space between the cells of a row, and nothing between inline elements. Elements that are
// hidden, scripts and styles are left out. Preformatted text keeps its spaces, but no empty
// lines.
func Of(markup string) string {
	z := html.NewTokenizer(strings.NewReader(markup))
	var c converter
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return c.w.String()
		case html.TextToken:
			if c.hidden == 0 {
				c.w.text(z.Text(), c.pre > 0)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			c.start(atom.Lookup(name), z, more, kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := z.TagName()
			c.end(atom.Lookup(name))
		}
	}
}

// OfNode is [Of] for an element that was parsed before.
func OfNode(n *html.Node) string {
	var c converter
	c.node(n)
	return c.w.String()
}

// converter converts elements to text.
type converter struct {
	w      writer
	hidden atom.Atom // the element that is hidden
	depth  int       // how many elements of this name are open since
	pre    int       // how many preformatted elements are open
}

// node converts what is in n.
func (c *converter) node(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		c.w.text([]byte(n.Data), c.pre > 0)
		return
	case html.ElementNode:
		if isHidden(n.DataAtom) || isHiddenBy(n) {
			return
		}
		c.open(n.DataAtom)
		defer c.close(n.DataAtom)
	}
	for child := range n.ChildNodes() {
		c.node(child)
	}
}

func isHiddenBy(n *html.Node) bool {
	for _, a := range n.Attr {
		if hides(a.Key, a.Val) {
			return true
		}
	}
	return false
}

func (c *converter) start(tag atom.Atom, z *html.Tokenizer, more, closed bool) {
	if c.hidden != 0 {
		if tag == c.hidden && !closed {
			c.depth++
		}
		return
	}
	hidden := isHidden(tag)
	for more && !hidden && canHide(tag) {
		var name, value []byte
		name, value, more = z.TagAttr()
		hidden = hides(string(name), string(value))
	}
	if hidden && (!closed || isHidden(tag)) {
		c.hidden, c.depth = tag, 1
		return
	}
	c.open(tag)
}

func (c *converter) end(tag atom.Atom) {
	if c.hidden != 0 {
		if tag == c.hidden {
			if c.depth--; c.depth == 0 {
				c.hidden = 0
			}
		}
		return
	}
	c.close(tag)
}

func (c *converter) open(tag atom.Atom) {
	switch {
	case isBlock(tag):
		c.w.line()
	case isCell(tag):
		c.w.space()
	}
	if isPre(tag) {
		c.pre++
	}
}

func (c *converter) close(tag atom.Atom) {
	if isPre(tag) && c.pre > 0 {
		c.pre--
	}
	switch {
	case isBlock(tag):
		c.w.line()
	case isCell(tag):
		c.w.space()
	}
}

// isHidden reports whether browsers do not show the text of an element.
func isHidden(tag atom.Atom) bool {
	switch tag {
	case atom.Script, atom.Style, atom.Title, atom.Template, atom.Noscript, atom.Iframe, atom.Noembed, atom.Noframes, atom.Datalist:
		return true
	}
	return false
}

// canHide reports whether an attribute may hide an element. Those whose end tags may be left
// out are always shown, as their end is not known.
func canHide(tag atom.Atom) bool {
	switch tag {
	case atom.Div, atom.Span, atom.Table, atom.Section, atom.Article, atom.Aside, atom.Header, atom.Footer, atom.Nav, atom.Main, atom.Form,
		atom.A, atom.B, atom.I, atom.Strong, atom.Em, atom.Font, atom.Small, atom.Center, atom.Ul, atom.Ol, atom.Button, atom.Label, atom.Fieldset,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Figure, atom.Details, atom.Dialog, atom.Pre, atom.Select:
		return true
	}
	return false
}

// hides reports whether an attribute hides its element.
func hides(name, value string) bool {
	switch name {
	case "hidden":
		return !strings.EqualFold(value, "until-found")
	case "style":
		if len(value) < len("display:none") {
			return false
		}
		style := strings.ToLower(strings.Join(strings.Fields(value), ""))
		return strings.Contains(style, "display:none")
	}
	return false
}

func isPre(tag atom.Atom) bool {
	switch tag {
	case atom.Pre, atom.Textarea, atom.Listing, atom.Xmp, atom.Plaintext:
		return true
	}
	return false
}

// isCell reports whether white space stands around an element.
func isCell(tag atom.Atom) bool {
	switch tag {
	case atom.Td, atom.Th, atom.Textarea, atom.Select:
		return true
	}
	return false
}

// isBlock reports whether an element begins and ends a line.
func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Br, atom.P, atom.Div, atom.Tr, atom.Li, atom.Ul, atom.Ol, atom.Table, atom.Blockquote, atom.Hr, atom.Pre,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Section, atom.Article, atom.Header, atom.Footer,
		atom.Address, atom.Aside, atom.Body, atom.Caption, atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Dl, atom.Dt,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Form, atom.Hgroup, atom.Legend, atom.Listing, atom.Main, atom.Menu, atom.Nav,
		atom.Optgroup, atom.Option, atom.Plaintext, atom.Summary, atom.Tbody, atom.Tfoot, atom.Thead, atom.Xmp, atom.Search:
		return true
	}
	return false
}
