package complete

import (
	"strings"

	"github.com/svcflow/svc/engine/node"
)

// words are the most used functions, with their signatures.
func words(language node.Language) (all []Proposal) {
	list := ""
	switch language {
	case node.LanguageExpr:
		list = "abs(n), all(list, condition), any(list, condition), ceil(n), count(list, condition), filter(list, condition), find(list, condition), first(list), " +
			"flatten(list), float(v), floor(n), fromJSON(text), hasPrefix(text, start), hasSuffix(text, end), indexOf(text, part), int(v), join(list, between), " +
			"keys(record), last(list), len(v), lower(text), map(list, each), max(a, b), mean(list), min(a, b), none(list, condition), replace(text, old, new), " +
			"reverse(list), round(n), sort(list), split(text, at), string(v), sum(list), toJSON(v), trim(text), type(v), uniq(list), upper(text), values(record)"
	case node.LanguageJQ:
		list = "add, all(condition), any(condition), ascii_downcase, ascii_upcase, contains(part), del(path), endswith(end), first, flatten, floor, from_entries, fromjson, group_by(path), has(name), " +
			"join(between), keys, last, length, limit(n; filter), ltrimstr(start), map(filter), map_values(filter), max, max_by(path), min, min_by(path), not, range(n), reverse, round, rtrimstr(end), " +
			"select(condition), sort, sort_by(path), split(at), startswith(start), sub(pattern; text), test(pattern), to_entries, tojson, tonumber, tostring, type, unique, unique_by(path), values, with_entries(filter)"
	case node.LanguageJSONPath, node.LanguageTemplate:
		return nil
	}
	for call := range splitCalls(list) {
		name, _, takes := strings.Cut(call, "(")
		if takes {
			name += "("
		}
		all = append(all, Proposal{name, call})
	}
	return all
}

// splitCalls splits a list of calls at commas that are not in brackets.
func splitCalls(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		depth, from := 0, 0
		for i := range len(list) {
			switch {
			case list[i] == '(':
				depth++
			case list[i] == ')':
				depth--
			case list[i] == ',' && depth == 0:
				if !yield(strings.TrimSpace(list[from:i])) {
					return
				}
				from = i + 1
			}
		}
		if from < len(list) {
			yield(strings.TrimSpace(list[from:]))
		}
	}
}
