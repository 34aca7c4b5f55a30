package ui

import (
	"github.com/sahilm/fuzzy"

	"github.com/svcflow/svc/ui/kit"
)

// choiceTexts lets choices be searched by what is read of them.
type choiceTexts []kit.Choice

func (c choiceTexts) String(i int) string { return c[i].Title + " " + c[i].Detail }
func (c choiceTexts) Len() int            { return len(c) }

// matching returns the choices that match what was typed, best first.
func matching(all []kit.Choice, query string) []kit.Choice {
	if query == "" {
		return all
	}
	found := fuzzy.FindFrom(query, choiceTexts(all))
	some := make([]kit.Choice, len(found))
	for i, m := range found {
		some[i] = all[m.Index]
	}
	return some
}
