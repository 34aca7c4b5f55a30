package page

import (
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Base returns the address that links of a page are relative to: that of its element base,
// which may itself be relative to address, or else address. Both may be missing: then the
// base is nil, and links stay as they are.
func Base(root *html.Node, address *url.URL) *url.URL {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.DataAtom != atom.Base {
			continue
		}
		href, ok := Attribute(n, "href")
		if !ok {
			continue
		}
		if u, err := url.Parse(Resolve(address, href)); err == nil && u.IsAbs() && u.Opaque == "" {
			return u
		}
		break // the first one counts
	}
	return address
}

// Resolve returns a link as an absolute address if base is not nil.
func Resolve(base *url.URL, link string) string {
	link = strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.TrimSpace(link))
	if base == nil {
		return link
	}
	u, err := base.Parse(link)
	if err != nil {
		u, err = base.Parse(badEscape.ReplaceAllString(link, "%25$1"))
	}
	if err != nil {
		return link
	}
	return u.String()
}

// badEscape matches a percent sign that is no escape.
var badEscape = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|[0-9A-Fa-f]?$)`)

// ResolveAttribute returns the value of an attribute with its links resolved, if it has any.
func ResolveAttribute(base *url.URL, name, value string) string {
	switch name {
	case "href", "src", "action", "poster", "cite", "data", "formaction", "background", "longdesc", "xlink:href":
		return Resolve(base, value)
	case "srcset", "imagesrcset":
		return resolveSet(base, value)
	}
	return value
}

// candidate matches a picture of a set: its address, and its width or density.
var candidate = regexp.MustCompile(`[\s,]*(\S*[^\s,])(?:\s+([^,\s]+(?:\s+[^,\s]+)*))?\s*(?:,|$)`)

// resolveSet resolves the addresses of a set of pictures.
func resolveSet(base *url.URL, set string) string {
	if base == nil {
		return set
	}
	var all []string
	for _, m := range candidate.FindAllStringSubmatch(set, -1) {
		one := Resolve(base, m[1])
		if m[2] != "" {
			one += " " + m[2]
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

// ResolveAll makes all links of a page absolute, but for those that lead to a place in the
// page itself, such as #top.
func ResolveAll(root *html.Node, base *url.URL) {
	if base == nil {
		return
	}
	for n := range root.Descendants() {
		for i := range n.Attr {
			if n.Attr[i].Namespace == "" && !strings.HasPrefix(n.Attr[i].Val, "#") {
				n.Attr[i].Val = ResolveAttribute(base, n.Attr[i].Key, n.Attr[i].Val)
			}
		}
	}
}
