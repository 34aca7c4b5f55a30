package xmltree

import (
	"errors"
	"html"
	"strings"

	"github.com/svcflow/svc/nodes/reading"
)

// repairStart removes blank lines before the declaration, and lets documents of XML 1.1
// pass: the decoder knows version 1.0 only, and they hardly differ.
func repairStart(text string, notes *reading.Notes) string {
	m := declaration.FindStringSubmatchIndex(text[:min(len(text), longestDeclaration)])
	if m == nil {
		return text
	}
	if strings.TrimLeft(text[:m[2]], " \t\r\n") != text[:m[2]] {
		notes.Repaired(1, "", "there is white space before the XML declaration")
	}
	if version := text[m[2]:m[3]]; version != "1.0" && strings.HasPrefix(version, "1.") {
		return text[:m[2]] + "1.0" + text[m[3]:]
	}
	return text
}

// isEntity reports whether err says that an entity is not declared.
func isEntity(err error) bool {
	syntax, ok := errors.AsType[syntaxError](err)
	return ok && strings.HasPrefix(syntax.err.Msg, "invalid character entity")
}

// replacement is an entity that was replaced.
type replacement struct {
	line       int
	name, text string
}

// replaceEntities replaces the entities of HTML that XML does not have, but for those in
// comments, in CDATA and in processing instructions. It returns the first of each name.
func replaceEntities(text string) (string, []replacement) {
	var b strings.Builder
	var changed []replacement
	seen := map[string]bool{}
	done := 0
	for i := 0; i < len(text); {
		next := strings.IndexAny(text[i:], "&<")
		if next < 0 {
			break
		}
		i += next
		if text[i] == '<' {
			i = skipped(text, i)
			continue
		}
		end := strings.IndexByte(text[i:min(len(text), i+longestEntity)], ';')
		if end < 0 {
			i++
			continue
		}
		name := text[i : i+end+1]
		char := html.UnescapeString(name)
		if name[1] == '#' || isXMLEntity(name) || strings.HasSuffix(char, ";") {
			i++
			continue
		}
		if !seen[name] {
			seen[name] = true
			changed = append(changed, replacement{strings.Count(text[:i], "\n") + 1, name, char})
		}
		b.WriteString(text[done:i])
		b.WriteString(char)
		i += len(name)
		done = i
	}
	b.WriteString(text[done:])
	return b.String(), changed
}

// longestEntity is the length of the longest name of an HTML entity, with & and ;.
const longestEntity = 34

func isXMLEntity(name string) bool {
	switch name {
	case "&amp;", "&lt;", "&gt;", "&quot;", "&apos;":
		return true
	}
	return false
}

// skipped returns the end of the comment, CDATA section or processing instruction at start,
// or start+1 if there is none.
func skipped(text string, start int) int {
	for _, pair := range [...][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
		if !strings.HasPrefix(text[start:], pair[0]) {
			continue
		}
		if end := strings.Index(text[start:], pair[1]); end >= 0 {
			return start + end + len(pair[1])
		}
		return len(text)
	}
	return start + 1
}
