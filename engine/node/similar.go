package node

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Limits of the search for similar types. Longer words are not typing errors.
const (
	maxSimilar = 3  // types that are returned
	maxCompare = 48 // characters of a word that is compared
)

// Similar returns up to three types that the user may have meant by typ, the most likely
// first: those with nearly the same name, label or alias, such as text.format for
// "text.formt" and io.http_request for "n8n-nodes-base.httpRequest". It takes time linear
// in the number of specs.
func Similar(specs []*Spec, typ string) []string {
	type candidate struct {
		typ  string
		away int
	}
	w := wantedOf(typ)
	var found []candidate
	for _, s := range specs {
		if n := w.distance(s); n < farAway {
			found = append(found, candidate{s.Type, n})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.away, b.away) })
	var types []string
	for _, c := range found {
		if len(types) < maxSimilar && c.away <= found[0].away+2 {
			types = append(types, c.typ)
		}
	}
	return types
}

// Limits of the distance between names. Sharing a word counts as almost too far.
const (
	sharesWord = 9
	farAway    = 10
)

// wanted is an unknown type that is searched for.
type wanted struct {
	full, name string   // letters and digits only
	words      []string // of the name
}

func wantedOf(typ string) wanted {
	name := typ[strings.LastIndexAny(typ, "./:")+1:]
	return wanted{full: squeeze(typ), name: squeeze(name), words: splitWords(name)}
}

// distance returns the edit distance between s and the wanted type, or farAway.
func (w *wanted) distance(s *Spec) int {
	_, name, _ := strings.Cut(s.Type, ".")
	best := min(apart(w.full, squeeze(s.Type)), apart(w.name, squeeze(name)), apart(w.name, squeeze(s.Label)))
	for _, alias := range s.Aliases.All() {
		best = min(best, 1+apart(w.name, squeeze(alias)))
	}
	for _, word := range splitWords(name) {
		if len(word) > 2 && slices.Contains(w.words, word) {
			best = min(best, sharesWord)
		}
	}
	return best
}

// squeeze returns the letters and digits of s in lower case.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// splitWords splits a name in snake, camel or kebab case into words.
func splitWords(name string) []string {
	var spaced strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			spaced.WriteByte(' ')
		}
		spaced.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(spaced.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// apart returns the edit distance between a and b: how many characters must be changed,
// removed, inserted or swapped with their neighbour. It returns farAway if more than a
// third differ.
func apart(a, b string) int {
	x, y := []rune(a), []rune(b)
	allowed := min(len(x), len(y)) / 3
	if len(x) > maxCompare || len(y) > maxCompare || max(len(x), len(y))-min(len(x), len(y)) > allowed {
		return farAway
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		row[0] = i + 1
		for j := range y {
			change := 1
			if x[i] == y[j] {
				change = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	if n := last[len(y)]; n <= allowed {
		return min(n, sharesWord-1)
	}
	return farAway
}
