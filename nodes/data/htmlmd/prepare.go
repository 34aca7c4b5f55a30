package htmlmd

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/svcflow/svc/nodes/data/page"
)

// prepare changes the page so that the library converts it right. It returns the names of
// the anchors that links of the page lead to.
func prepare(root *html.Node) map[string]bool {
	targets := map[string]bool{}
	var tables, code []*html.Node
	for n := range root.Descendants() {
		switch n.DataAtom {
		case atom.A:
			if href, _ := page.Attribute(n, "href"); strings.Contains(href, "#") {
				targets[href[strings.IndexByte(href, '#')+1:]] = true
			}
		case atom.Table:
			tables = append(tables, n)
		case atom.Pre:
			code = append(code, n)
		}
	}
	delete(targets, "")
	for _, n := range code {
		setLanguage(n)
	}
	for _, n := range tables {
		if isData(n) {
			flatten(n)
		} else {
			dissolve(n)
		}
	}
	return targets
}

// flat marks a cell that was flattened.
const flat = "data-flat"

// isFlat reports whether n is in a cell that was flattened.
func isFlat(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.Td || p.DataAtom == atom.Th {
			_, ok := page.Attribute(p, flat)
			return ok
		}
	}
	return false
}

// dissolve makes blocks of the cells of a table that is layout, so that they are apart.
func dissolve(n *html.Node) {
	switch n.DataAtom {
	case atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption:
		n.Data, n.DataAtom = "div", atom.Div
	}
	for child := range n.ChildNodes() {
		if child.DataAtom != atom.Table {
			dissolve(child)
		}
	}
}

// longCell is the length of a cell, in bytes, beyond which a table without headings is taken
// for layout.
const longCell = 500

// isData reports whether a table has data. Pages also use tables for their layout; the cells
// of those are paragraphs.
func isData(n *html.Node) bool {
	if role, _ := page.Attribute(n, "role"); role == "presentation" || role == "none" {
		return false
	}
	headings, columns := false, 0
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Table:
			return false
		case atom.Th, atom.Caption, atom.Thead:
			headings = true
		case atom.Tr:
			columns = max(columns, cells(d))
		}
	}
	if headings {
		return true
	}
	for d := range n.Descendants() {
		if d.DataAtom == atom.Td && len(page.Text(d)) > longCell {
			return false
		}
	}
	return columns > 0
}

func cells(row *html.Node) (count int) {
	for d := range row.ChildNodes() {
		if d.DataAtom == atom.Td || d.DataAtom == atom.Th {
			count++
		}
	}
	return count
}

// flatten makes each cell of a table one line: Markdown has no others. Blocks in a cell are
// separated by line breaks, and items of lists begin with a bullet.
func flatten(t *html.Node) {
	var found []*html.Node
	for d := range t.Descendants() {
		if d.DataAtom == atom.Td || d.DataAtom == atom.Th {
			found = append(found, d)
		}
	}
	for _, cell := range found {
		var f flattener
		f.children(cell)
		for cell.FirstChild != nil {
			cell.RemoveChild(cell.FirstChild)
		}
		for _, n := range f.out {
			cell.AppendChild(n)
		}
		cell.Attr = append(cell.Attr, html.Attribute{Key: flat})
	}
}

// flattener collects the inline elements of a cell.
type flattener struct {
	out    []*html.Node
	breaks bool // a line break stands before the next element
}

func (f *flattener) children(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		f.node(child)
		child = next
	}
}

func (f *flattener) node(n *html.Node) {
	switch {
	case n.DataAtom == atom.Br || n.DataAtom == atom.Hr:
		f.breaks = true
	case n.DataAtom == atom.Pre:
		f.breaks = true
		for line := range strings.Lines(strings.TrimRight(textOf(n), "\n")) {
			code := &html.Node{Type: html.ElementNode, Data: "code", DataAtom: atom.Code}
			code.AppendChild(&html.Node{Type: html.TextNode, Data: strings.TrimRight(line, "\r\n")})
			f.add(code)
			f.breaks = true
		}
	case isBlock(n.DataAtom):
		f.breaks = true
		if n.DataAtom == atom.Li {
			f.add(&html.Node{Type: html.TextNode, Data: "• "})
		}
		f.children(n)
		f.breaks = true
	case n.Type == html.ElementNode && hasBlock(n):
		f.children(n) // its format is lost, as it cannot span lines
	case n.Type == html.TextNode && strings.TrimSpace(n.Data) == "" && (f.breaks || len(f.out) == 0):
	case n.Type == html.TextNode || n.Type == html.ElementNode:
		n.Parent.RemoveChild(n)
		f.add(n)
	}
}

func (f *flattener) add(n *html.Node) {
	if f.breaks && len(f.out) > 0 {
		f.out = append(f.out, &html.Node{Type: html.ElementNode, Data: "br", DataAtom: atom.Br})
	}
	if len(f.out) == 0 || f.breaks {
		if n.Type == html.TextNode {
			n.Data = strings.TrimLeft(n.Data, " \t\r\n")
		}
	}
	f.breaks = false
	f.out = append(f.out, n)
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func hasBlock(n *html.Node) bool {
	for d := range n.Descendants() {
		if isBlock(d.DataAtom) || d.DataAtom == atom.Br || d.DataAtom == atom.Pre {
			return true
		}
	}
	return false
}

func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Li, atom.Dl, atom.Dt, atom.Dd, atom.Blockquote, atom.Section, atom.Article, atom.Figure, atom.Figcaption,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Center, atom.Address, atom.Header, atom.Footer, atom.Details, atom.Summary, atom.Form, atom.Fieldset:
		return true
	}
	return false
}

// language matches a class that names the language of code.
var language = regexp.MustCompile(`(?:^|\s)(?:language-|lang-|highlight-source-|brush:\s*)([\w+#.-]+)`)

// setLanguage lets the library find the language of a code block: pages name it in classes
// and attributes of several elements.
func setLanguage(pre *html.Node) {
	code := pre
	for d := range pre.ChildNodes() {
		if d.DataAtom == atom.Code {
			code = d
		}
	}
	for _, n := range []*html.Node{code, pre, pre.Parent} {
		if n == nil {
			continue
		}
		for _, key := range []string{"data-language", "data-lang", "lang"} {
			if value, _ := page.Attribute(n, key); value != "" && (key != "lang" || n == pre) && !strings.ContainsAny(value, " \t\n`") {
				setClass(code, value)
				return
			}
		}
		class, _ := page.Attribute(n, "class")
		if m := language.FindStringSubmatch(class); m != nil {
			setClass(code, m[1])
			return
		}
		for _, marker := range []string{"hljs", "sourceCode"} {
			if words := strings.Fields(class); len(words) == 2 && (words[0] == marker || words[1] == marker) {
				setClass(code, strings.TrimSpace(strings.Replace(class, marker, "", 1)))
				return
			}
		}
	}
}

func setClass(n *html.Node, language string) {
	for i := range n.Attr {
		if n.Attr[i].Key == "class" {
			n.Attr[i].Val = "language-" + language
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: "class", Val: "language-" + language})
}
