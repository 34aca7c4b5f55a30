// Package htmltext converts HTML to plain text.
package htmltext

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// longestToken is the longest HTML token, in bytes.
const longestToken = 1 << 20

// Of returns approximately the text that a browser would show, with a line break at the end
// of each block.
func Of(markup string) string {
	z := html.NewTokenizer(strings.NewReader(markup))
	z.SetMaxBuf(longestToken)
	lineEnds := strings.NewReplacer("\n", " ", "\r", " ") // only markup ends lines
	var b strings.Builder
	var hidden atom.Atom // the element whose text is hidden
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return tidy(b.String())
		case html.TextToken:
			if hidden == 0 {
				b.WriteString(lineEnds.Replace(string(z.Text())))
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			switch {
			case tag == hidden:
				hidden = 0
			case kind == html.StartTagToken && isHidden(tag):
				hidden = tag
			case isBlock(tag):
				b.WriteByte('\n')
			}
		}
	}
}

func isHidden(tag atom.Atom) bool {
	return tag == atom.Script || tag == atom.Style || tag == atom.Title
}

func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Br, atom.P, atom.Div, atom.Tr, atom.Li, atom.Ul, atom.Ol, atom.Table, atom.Blockquote, atom.Hr, atom.Pre,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Section, atom.Article, atom.Header, atom.Footer:
		return true
	}
	return false
}

// tidy removes empty lines, and white space other than single spaces between words.
func tidy(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}
