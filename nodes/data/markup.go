package data

import (
	"context"
	"net/url"

	"golang.org/x/net/html"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/data/page"
	"github.com/svcflow/svc/nodes/reading"
)

// maxMarkup is the largest page, in bytes. The tree of a page takes up to markupTimes as
// much memory.
const (
	maxMarkup   = 16 << 20
	markupTimes = 20
)

// pageIn are the inputs of nodes that read a page.
type pageIn struct {
	HTML *string `port:"html,optional" widget:"multiline" doc:"The page, or a part of one; or give path or base64."`
	reading.File

	Base *string `port:"base,optional" doc:"The address of the page, for links that are relative. An element base in the page is followed, too."`
}

// pageNode gives a node the inputs of [pageIn].
func pageNode(n node.Node) node.Node { return reading.Node(n, "html", "path", "base64") }

// parse reads the page. It returns the base address of its links, or nil if there is none.
func (in *pageIn) parse(ctx context.Context, d disk) (text string, root *html.Node, base *url.URL, err error) {
	address, err := parseBase(in.Base)
	if err != nil {
		return "", nil, nil, err
	}
	input, err := in.Whole(ctx, d.Files, in.HTML, markupTimes)
	if err != nil {
		return "", nil, nil, err
	}
	if len(input.Data) > maxMarkup {
		return "", nil, nil, reading.TooMuch("the page has %d bytes; at most %d can be taken apart", len(input.Data), maxMarkup)
	}
	text, err = input.Text(reading.NotesOf(ctx), page.Declared(input.Data))
	if err != nil {
		return "", nil, nil, err
	}
	root, err = page.Parse(text)
	if err != nil {
		return "", nil, nil, reading.TooMuch("the page cannot be taken apart: %s", err)
	}
	return text, root, page.Base(root, address), nil
}

// parseBase returns the base URL of links, or nil if it is not set.
func parseBase(base *string) (*url.URL, error) {
	if base == nil || *base == "" {
		return nil, nil //nolint:nilnil // no base is set
	}
	u, err := url.Parse(*base)
	if err != nil || !u.IsAbs() {
		return nil, reading.Invalid("base is no address such as https://example.com/page")
	}
	return u, nil
}
