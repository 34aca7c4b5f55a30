package sqlnode

import (
	"slices"
	"strings"
)

// controlsTransaction returns the word by which a statement begins or ends a transaction or a
// lock that outlasts it, or "". Each node has a connection to itself and gives it back when it ends.
func controlsTransaction(source string, d dialect) string {
	words := firstWords(source, d)
	if len(words) == 0 {
		return ""
	}
	if slices.Contains([]string{"begin", "commit", "rollback", "savepoint", "release", "abort", "end", "xa"}, words[0]) {
		return strings.ToUpper(words[0])
	}
	if len(words) < 2 {
		return ""
	}
	switch two := words[0] + " " + words[1]; two {
	case "start transaction", "prepare transaction", "lock tables", "lock table", "unlock tables":
		return strings.ToUpper(two)
	}
	return ""
}

// firstWords returns the first two words of a statement, in lower case and without comments.
func firstWords(source string, d dialect) (words []string) {
	s := scanner{d: d, text: source}
	for s.at < len(s.text) && len(words) < 2 {
		from := s.at
		c := s.text[from]
		if s.next() != nil {
			return words
		}
		switch {
		case isStart(c):
			words = append(words, strings.ToLower(s.text[from:s.at]))
		case c <= ' ', c == ';' && len(words) == 0, strings.HasPrefix(s.text[from:], "--"), strings.HasPrefix(s.text[from:], "/*"), c == '#' && d.hash:
		default:
			return words
		}
	}
	return words
}
