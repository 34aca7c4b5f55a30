package text

import (
	"context"
	"regexp"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

type regexIn struct {
	Text       string `port:"text" doc:"The text to search."`
	Pattern    string `port:"pattern" doc:"What to look for, a regular expression in RE2's syntax."`
	IgnoreCase bool   `port:"ignoreCase" default:"false" doc:"Whether upper and lower case are the same."`
}

type match struct {
	Match  string         `port:"match"`
	Start  int            `port:"start"`
	End    int            `port:"end"`
	Groups []string       `port:"groups"`
	Named  map[string]any `port:"named"`
}

type regexOut struct {
	Matched bool    `port:"matched" doc:"Whether there is a match."`
	First   *string `port:"first" doc:"The first match; null if there is none."`
	Matches []match `port:"matches" doc:"All matches, each with its place in characters (from 0, the end not included), its groups, and those with a name. A group that took no part is empty."`
}

func regexNode() node.Node {
	n := node.Func("text.regex", "Find by pattern", regex).Pure().
		Aliases("regular expression, match, extract, pattern", "regulärer ausdruck, muster, suchen").
		Example(map[string]any{"pattern": "[A-Z]\\w+"}).Doc(
		"Finds everything in a text that a regular expression describes.\n\n" +
			"`(?P<user>\\w+)@(\\w+)` in `ada@home, bob@work` matches `ada@home`, with the groups `[\"ada\",\"home\"]` and " +
			"user = `ada`, and `bob@work`.\n\n" +
			"Places are counted in characters (Unicode code points), as text.slice takes them. There may be 250,000 matches, groups " +
			"included.")
	return checkPattern(n, "pattern", func(map[string]any) bool { return true })
}

func regex(ctx context.Context, in regexIn) (out regexOut, err error) {
	re, err := compilePattern(in.Pattern, in.IgnoreCase)
	if err != nil {
		return out, err
	}
	found, err := findAll(ctx, re, in.Text, maxMatches)
	if err != nil {
		return out, err
	}
	if err := claim(ctx, matchBytes*len(found)); err != nil {
		return out, err
	}
	at := position{text: in.Text}
	size := 0
	for _, index := range found {
		m := newMatch(re, in.Text, index)
		m.Start, m.End = at.of(index[0]), at.of(index[1])
		for _, g := range m.Groups {
			size += 2 * len(g)
		}
		if size += len(m.Match); size > value.MaxSize/2 {
			return regexOut{}, tooMuch("the matches are too much data; use fewer groups or a shorter text")
		}
		out.Matches = append(out.Matches, m)
	}
	if out.Matched = len(found) > 0; out.Matched {
		out.First = &out.Matches[0].Match
	}
	return out, nil
}

// matchBytes is the memory of a match without its text.
const matchBytes = 1 << 10

func newMatch(re *regexp.Regexp, text string, index []int) match {
	m := match{Match: text[index[0]:index[1]], Named: map[string]any{}}
	for i, name := range re.SubexpNames()[1:] {
		group := ""
		if start := index[2*i+2]; start >= 0 {
			group = text[start:index[2*i+3]]
		}
		m.Groups = append(m.Groups, group)
		if name != "" {
			m.Named[name] = group
		}
	}
	return m
}

// position turns byte offsets, asked for in rising order, into characters.
type position struct {
	text         string
	bytes, runes int
}

func (p *position) of(offset int) int {
	if offset < p.bytes {
		p.bytes, p.runes = 0, 0
	}
	p.runes += utf8.RuneCountInString(p.text[p.bytes:offset])
	p.bytes = offset
	return p.runes
}
