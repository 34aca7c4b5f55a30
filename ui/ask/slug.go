package ask

import (
	"strings"
	"unicode"

	"github.com/svcflow/svc/ui/workspace"
)

// slug makes an id of a name: lower case, words joined by hyphens.
func slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) == 0 {
		return workspace.BlankID
	}
	const longest = 100 // runes
	id := []rune(strings.Join(words, "-"))
	return string(id[:min(len(id), longest)])
}
