package feed

import (
	"maps"
	"strings"
)

// prefixes are the prefixes that the elements of known namespaces get, by the address of the
// namespace in lower case. RSS and Atom have none: a feed may mix them.
var prefixes = map[string]string{ //nolint:gochecknoglobals // a constant table
	"":                                "",
	"http://backend.userland.com/rss": "", "http://blogs.law.harvard.edu/tech/rss": "", "http://purl.org/rss/1.0/": "",
	"http://my.netscape.com/rdf/simple/0.9/": "", "http://channel.netscape.com/rdf/simple/0.9/": "", "http://purl.org/net/rss1.1#": "",
	"http://example.com/newformat#": "", "http://example.com/necho": "", "http://purl.org/echo/": "", "uri/of/echo/namespace#": "",
	"http://purl.org/pie/": "", "http://purl.org/atom/ns#": "", "http://www.w3.org/2005/atom": "", "http://purl.org/rss/1.0/modules/rss091#": "",

	"http://purl.org/rss/1.0/modules/content/":        "content",
	"http://purl.org/dc/elements/1.1/":                "dc",
	"http://purl.org/dc/terms/":                       "dcterms",
	"http://www.itunes.com/dtds/podcast-1.0.dtd":      "itunes",
	"http://example.com/dtds/podcast-1.0.dtd":         "itunes",
	"http://search.yahoo.com/mrss":                    "media",
	"http://search.yahoo.com/mrss/":                   "media",
	"http://www.w3.org/1999/02/22-rdf-syntax-ns#":     "rdf",
	"http://www.w3.org/1999/xhtml":                    "xhtml",
	"http://www.w3.org/xml/1998/namespace":            "xml",
	"http://www.w3.org/2000/svg":                      "svg",
	"http://www.w3.org/1998/math/mathml":              "math",
	"http://purl.org/rss/1.0/modules/image/":          "image",
	"http://purl.org/rss/1.0/modules/textinput/":      "ti",
	"http://rssnamespace.org/feedburner/ext/1.0":      "feedburner",
	"http://www.w3.org/2003/01/geo/wgs84_pos#":        "geo",
	"http://purl.org/rss/1.0/modules/syndication/":    "sy",
	"http://wellformedweb.org/commentapi/":            "wfw",
	"http://purl.org/rss/1.0/modules/slash/":          "slash",
	"http://base.google.com/ns/1.0":                   "g",
	"http://www.georss.org/georss":                    "georss",
	"http://podlove.org/simple-chapters":              "psc",
	"http://xmlns.com/foaf/0.1/":                      "foaf",
	"http://creativecommons.org/ns#license":           "cc",
	"http://purl.org/rss/1.0/modules/link/":           "l",
	"http://purl.org/rss/1.0/modules/event/":          "ev",
	"http://purl.org/rss/1.0/modules/taxonomy/":       "taxo",
	"http://purl.org/syndication/thread/1.0":          "thr",
	"http://a9.com/-/spec/opensearch/1.1/":            "opensearch",
	"http://www.w3.org/2007/app":                      "app",
	"http://www.google.com/schemas/reader/atom/":      "gr",
	"http://schemas.google.com/g/2005":                "gd",
	"http://www.youtube.com/xml/schemas/2015":         "yt",
	"https://podcastindex.org/namespace/1.0":          "podcast",
	"http://www.google.com/schemas/play-podcasts/1.0": "googleplay",
}

// namespaces are the declared prefixes that are in scope.
type namespaces map[string]string

// maxPrefixes is how many prefixes a feed may declare; others are ignored.
const maxPrefixes = 100

// with returns the namespaces with those that attrs declare, without changing n.
func (n namespaces) with(attrs attributes) namespaces {
	out, cloned := n, false
	for i := range attrs {
		prefix, ok := strings.CutPrefix(attrs[i].name, "xmlns:")
		if !ok && attrs[i].name != "xmlns" || len(out) >= maxPrefixes {
			continue
		}
		if !ok {
			prefix = ""
		}
		if !cloned {
			if out, cloned = maps.Clone(n), true; out == nil {
				out = namespaces{}
			}
		}
		out[prefix] = strings.ToLower(strings.TrimSpace(attrs[i].value))
	}
	return out
}

// known returns the name of an element with the usual prefix of its namespace. Elements
// without a prefix in an unknown namespace count as elements of the feed.
func (n namespaces) known(name string) string {
	prefix, local, has := strings.Cut(name, ":")
	if !has {
		prefix, local = "", name
	}
	address, declared := n[prefix]
	if strings.HasPrefix(address, "http://backend.userland.com/rss") {
		address = "http://backend.userland.com/rss"
	}
	usual, ok := prefixes[address]
	switch {
	case declared && ok:
		prefix = usual
	case prefix == "atom" || prefix == "rss": // not declared
		prefix = ""
	}
	if prefix == "" {
		return local
	}
	return prefix + ":" + local
}
