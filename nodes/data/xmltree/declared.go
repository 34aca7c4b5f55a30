package xmltree

import (
	"bytes"
	"regexp"
)

// declaration matches an XML declaration. Its groups are the version and the encoding.
var declaration = regexp.MustCompile(`^\s*<\?xml\s+version\s*=\s*["']([^"']*)["'](?:\s+encoding\s*=\s*["']([A-Za-z0-9._:-]+)["'])?[^?]*\?>`)

// longestDeclaration is how many bytes of a document are searched for its declaration.
const longestDeclaration = 1024

// Declared returns the encoding that a document names in its XML declaration, or shows by
// how its first character is encoded (XML 1.0, appendix F). It returns "" if there is none.
func Declared(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("<\x00")):
		return "utf-16le"
	case bytes.HasPrefix(data, []byte("\x00<")):
		return "utf-16be"
	}
	head := bytes.TrimPrefix(data[:min(len(data), longestDeclaration)], []byte("\ufeff"))
	if m := declaration.FindSubmatch(head); m != nil {
		return string(m[2])
	}
	return ""
}
