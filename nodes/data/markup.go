package data

import (
	"context"
	"net/url"
	"strings"

	"golang.org/x/net/html"

	"github.com/svcflow/svc/engine/node"
)

// maxMarkup is the largest page, in bytes. The tree of a page takes up to markupTimes as
// much memory.
const (
	maxMarkup   = 16 << 20
	markupTimes = 20
)

// parseHTML parses a page. Any text is valid HTML, but elements may nest at most 512 levels
// deep.
func parseHTML(ctx context.Context, text string) (*html.Node, error) {
	if len(text) > maxMarkup {
		return nil, tooMuch("the page has %d bytes; at most %d can be taken apart", len(text), maxMarkup)
	}
	if err := node.Hold(ctx, markupTimes*len(text)); err != nil {
		return nil, err
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, tooMuch("the page cannot be taken apart: %s", err)
	}
	return root, nil
}

// parseBase returns the base URL of links, or nil if it is not set.
func parseBase(base *string) (*url.URL, error) {
	if base == nil || *base == "" {
		return nil, nil //nolint:nilnil // no base is set
	}
	u, err := url.Parse(*base)
	if err != nil || !u.IsAbs() {
		return nil, wrong("base is no address such as https://example.com/page")
	}
	return u, nil
}

// resolved returns a link as an absolute URL if base is not nil.
func resolved(base *url.URL, link string) string {
	link = strings.TrimSpace(link)
	if base == nil {
		return link
	}
	u, err := base.Parse(link)
	if err != nil {
		return link
	}
	return u.String()
}

func attribute(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// textIn returns the text of the node n, with white space collapsed.
func textIn(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && !hiddenText(d.Parent) {
			b.WriteString(d.Data)
		} else if d.Type == html.ElementNode {
			b.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func hiddenText(parent *html.Node) bool {
	return parent != nil && parent.Type == html.ElementNode && (parent.Data == "script" || parent.Data == "style" || parent.Data == "template")
}
