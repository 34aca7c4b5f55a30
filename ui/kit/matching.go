package kit

import "github.com/sahilm/fuzzy"

// choiceTexts lets choices be searched by what is read of them.
type choiceTexts []Choice

func (c choiceTexts) String(i int) string { return c[i].Title + " " + c[i].Detail }
func (c choiceTexts) Len() int            { return len(c) }

// Matching returns the choices that match what was typed, best first.
func Matching(all []Choice, query string) []Choice {
	if query == "" {
		return all
	}
	found := fuzzy.FindFrom(query, choiceTexts(all))
	some := make([]Choice, len(found))
	for i, m := range found {
		some[i] = all[m.Index]
	}
	return some
}
