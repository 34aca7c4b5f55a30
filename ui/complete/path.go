package complete

import (
	"strconv"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// Path writes the path from a root to a part of its value in a language; steps are names of
// fields and indexes of items. ok is false if the language cannot express it.
func Path(language node.Language, root string, steps []any) (text string, ok bool) {
	var b strings.Builder
	if language != node.LanguageJQ || root != "." {
		b.WriteString(root)
	}
	for i, s := range steps {
		name, isName := s.(string)
		n, _ := s.(int)
		first := i == 0 && b.Len() == 0 // of jq, whose root is a dot
		switch {
		case !isName && language == node.LanguageTemplate, isName && !isWord(name) && language == node.LanguageTemplate:
			return "", false
		case !isName && first:
			b.WriteString(".[" + strconv.Itoa(n) + "]")
		case !isName:
			b.WriteString("[" + strconv.Itoa(n) + "]")
		case isWord(name):
			b.WriteString("." + name)
		case language == node.LanguageJQ:
			b.WriteString("." + quoted(name))
		default:
			b.WriteString("[" + quoted(name) + "]")
		}
	}
	if b.Len() == 0 {
		return root, true
	}
	return b.String(), true
}
