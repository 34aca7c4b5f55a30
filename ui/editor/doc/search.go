package doc

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/node"
)

// How well a node type matches a query, best first. A word for the task ("loop", "wenn")
// counts as much as the label.
const (
	noFit = iota
	fitsLetters
	fitsText       // all words are somewhere in its texts
	fitsInside     // inside a word of the label, or at the beginning of the type
	fitsAliasWord  // at the beginning of a word of an alias
	fitsAlias      // at the beginning of an alias
	fitsLabelWord  // at the beginning of a word of the label
	fitsWholeAlias // equal to an alias
	fitsLabel      // at the beginning of the label
	fitsWholeLabel
)

// search keeps the choices that match, the best first.
func (s *Specs) search(query string, choices []Choice) []Choice {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return choices
	}
	query = strings.Join(words, "")
	labels := lettersOf(query, choices, func(s *node.Spec) string { return s.Label })
	types := lettersOf(query, choices, func(s *node.Spec) string { return s.Type + " " + s.Category })
	type ranked struct {
		choice             Choice
		fit, label, typ, i int
	}
	var found []ranked
	for i, c := range choices {
		label, inLabel := labels[i]
		typ, inType := types[i]
		fit := fitOf(c.Spec, query)
		if fit == noFit && s.mentions(c.Spec, words) {
			fit = fitsText
		}
		if fit == noFit && (inLabel || inType) {
			fit = fitsLetters
		}
		if fit == noFit {
			continue
		}
		c.Matched = label.MatchedIndexes
		found = append(found, ranked{c, fit, label.Score + boolAs(inLabel, 1<<20), typ.Score, i})
	}
	slices.SortFunc(found, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.fit, a.fit), cmp.Compare(b.label, a.label), cmp.Compare(b.typ, a.typ), cmp.Compare(a.i, b.i))
	})
	matching := make([]Choice, len(found))
	for i := range found {
		matching[i] = found[i].choice
	}
	return matching
}

func boolAs(is bool, n int) int {
	if is {
		return n
	}
	return 0
}

// lettersOf finds the letters of a query, in their order, in texts of node types.
func lettersOf(query string, choices []Choice, get func(*node.Spec) string) map[int]fuzzy.Match {
	texts := make([]string, len(choices))
	for i := range choices {
		texts[i] = get(choices[i].Spec)
	}
	found := map[int]fuzzy.Match{}
	for _, m := range fuzzy.Find(query, texts) {
		found[m.Index] = m
	}
	return found
}

// fitOf returns how well the names of a node type match a query.
func fitOf(s *node.Spec, query string) (fit int) {
	label := strings.ToLower(s.Label)
	joined := strings.ReplaceAll(label, " ", "")
	switch {
	case joined == query:
		return fitsWholeLabel
	case strings.HasPrefix(joined, query):
		return fitsLabel
	case begins(label, query):
		fit = fitsLabelWord
	case strings.Contains(joined, query), strings.HasPrefix(s.Type, query):
		fit = fitsInside
	}
	for _, alias := range s.Aliases.All() {
		alias = strings.ToLower(alias)
		switch whole := strings.ReplaceAll(alias, " ", ""); {
		case whole == query:
			fit = max(fit, fitsWholeAlias)
		case strings.HasPrefix(whole, query):
			fit = max(fit, fitsAlias)
		case begins(alias, query):
			fit = max(fit, fitsAliasWord)
		}
	}
	return fit
}

// mentions reports whether each word begins a word in the texts of a node type.
func (s *Specs) mentions(spec *node.Spec, words []string) bool {
	const shortest = 3 // fewer letters match too many words
	texts := append([]string{spec.Label, spec.Type, spec.Category, spec.Description}, spec.Aliases.All()...)
	if known, ok := s.english[spec.Type]; ok {
		texts = append(texts, known.Description)
	}
	for _, ports := range [][]node.Port{spec.Inputs, spec.Outputs} {
		for i := range ports {
			texts = append(texts, ports[i].Name)
		}
	}
	all := strings.FieldsFunc(strings.ToLower(strings.Join(texts, " ")), func(r rune) bool {
		return strings.ContainsRune(" .,;:()`\"'_-/\n", r)
	})
	return !slices.ContainsFunc(words, func(word string) bool {
		return len(word) < shortest || !slices.ContainsFunc(all, func(one string) bool { return strings.HasPrefix(one, word) })
	})
}

// begins reports whether the query matches the text, in lower case, from the beginning of one
// of its words on.
func begins(text, query string) bool {
	words := strings.Fields(text)
	for i := range words {
		if strings.HasPrefix(strings.Join(words[i:], ""), query) {
			return true
		}
	}
	return false
}

// Choice is a node type to pick.
type Choice struct {
	Spec *node.Spec
	// Port is the port for the wire that the node is picked for; "" without a wire.
	Port string
	// Matched are the indexes of the matched letters in the label.
	Matched []int
}

// Search returns the node types whose label, aliases, type, category, description or ports
// match a query, best first; all, by category, for an empty query. A query may leave out
// letters of a label or type, but keep their order.
func (s *Specs) Search(query string) []Choice {
	return s.search(query, s.choices(func(*node.Spec) (string, bool) { return "", true }))
}

// Partners is [Specs.Search] among the node types that can be at the other end of a wire.
func (d *Document) Partners(end cards.PortRef, query string) ([]Choice, error) {
	j, err := d.Judge(end, nil)
	if err != nil {
		return nil, err
	}
	return d.specs.search(query, d.specs.choices(func(spec *node.Spec) (string, bool) {
		ports := spec.Inputs
		if !end.Output {
			ports = spec.Outputs
		}
		if port, ok := order(end); ok {
			return port, !end.Output || spec.Role.Controlled()
		}
		i := bestPort(ports, func(p *node.Port) int {
			if end.Output && p.Literal {
				return 0
			}
			source, target := j.port.Type, p.Type
			if !end.Output {
				source, target = p.Type, j.port.Type
			}
			return rank(p, engine.Assign(source, target, 1))
		})
		if i < 0 {
			return "", false
		}
		return ports[i].Name, true
	})), nil
}

func (s *Specs) choices(take func(*node.Spec) (port string, ok bool)) []Choice {
	var choices []Choice
	for _, spec := range s.sorted {
		if port, ok := take(spec); ok {
			choices = append(choices, Choice{Spec: spec, Port: port})
		}
	}
	return choices
}
