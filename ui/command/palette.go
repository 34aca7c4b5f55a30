package command

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"github.com/sahilm/fuzzy"

	"github.com/svcflow/svc/ui/kit"
)

// ShowPalette opens the picker that finds a command by letters of its title. extra returns
// further choices for a query, shown below the commands; it may be nil. Disabled commands
// come last.
func (s *Set) ShowPalette(on fyne.Canvas, extra func(query string) []kit.Choice) {
	p := &kit.Picker{
		Placeholder: lang.L("Search nodes and commands"),
		Empty:       lang.L("Nothing has such a name"),
		Search: func(query string) []kit.Choice {
			found := s.choices(query)
			if extra != nil {
				found = append(found, extra(query)...)
			}
			slices.SortStableFunc(found, disabledLast)
			return found
		},
	}
	p.Show(on)
}

// choices returns the matching commands, best first, and among equals the last used one.
func (s *Set) choices(query string) []kit.Choice {
	found := find(query, s.byRecency())
	choices := make([]kit.Choice, len(found))
	for i, f := range found {
		c := f.Command
		choices[i] = kit.Choice{
			Title: c.title(), Matched: f.at, Detail: menuPath(c.Menu), Trailing: s.keys[c.ID].Label(),
			Disabled: !c.enabled(), Pick: func() { s.Run(c.ID) },
		}
	}
	return choices
}

func disabledLast(a, b kit.Choice) int {
	switch {
	case a.Disabled == b.Disabled:
		return 0
	case b.Disabled:
		return -1
	}
	return 1
}

// hit is a command that matches.
type hit struct {
	*Command

	at []int // the byte indexes of the matched letters in its title
}

// find returns the commands whose titles contain the letters of the query in order, best
// first; all if it is empty. Those that match only with the menu's name, as in "theme dark",
// come last.
func find(query string, all []*Command) []hit {
	titles := make([]string, len(all))
	for i, c := range all {
		titles[i] = c.title()
	}
	words := strings.Fields(query)
	query = strings.Join(words, "")
	var found []hit
	if query == "" {
		for _, c := range all {
			found = append(found, hit{Command: c})
		}
	}
	matched := map[int]bool{}
	for _, match := range fuzzy.Find(query, titles) { // keeps the order of equals
		matched[match.Index] = true
		found = append(found, hit{all[match.Index], match.MatchedIndexes})
	}
	for i, c := range all {
		if query != "" && !matched[i] && holds(menuPath(c.Menu)+" "+titles[i], words) {
			found = append(found, hit{Command: c})
		}
	}
	return found
}

// holds reports whether a text contains all words.
func holds(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
}

// all returns the commands in the order of the menus.
func (s *Set) all() []*Command {
	var all []*Command
	for _, c := range s.each() {
		all = append(all, c)
	}
	return all
}

func (s *Set) byRecency() []*Command {
	all := s.all()
	rank := func(c *Command) int {
		if i := slices.Index(s.recent, c.ID); i >= 0 {
			return i
		}
		return len(s.recent)
	}
	slices.SortStableFunc(all, func(a, b *Command) int { return rank(a) - rank(b) })
	return all
}

// menuPath returns the translated path of a menu.
func menuPath(menu string) string {
	if menu == "" {
		return ""
	}
	parts := strings.Split(menu, "/")
	for i, part := range parts {
		parts[i] = lang.L(part)
	}
	return strings.Join(parts, " › ")
}
