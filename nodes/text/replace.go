package text

import (
	"context"
	"regexp"
	"strings"

	"github.com/svcflow/svc/engine/node"
)

type replaceIn struct {
	Text        string `port:"text" doc:"The text to change."`
	Find        string `port:"find" doc:"What to replace: a text, or with regex a regular expression in RE2's syntax."`
	Replacement string `port:"replacement" default:"" doc:"What to put there. With regex, $1 or ${name} stand for groups and $$ for a dollar sign."`
	Regex       bool   `port:"regex" default:"false" doc:"Whether find is a regular expression."`
}

type replaceOut struct {
	Text  string `port:"text" doc:"The changed text."`
	Count int    `port:"count" doc:"How many places were replaced."`
}

func replaceNode() node.Node {
	n := node.Func("text.replace", "Replace in text", replace).Pure().
		Aliases("substitute, search and replace", "ersetzen, suchen und ersetzen").
		Example(map[string]any{"find": "Ada", "replacement": "Grace"}).Doc(
		"Replaces every place where something stands in a text.\n\n" +
			"`cat` by `dog` in `cat, cats` gives `dog, dogs` and count 2. With regex, `(\\w+) (\\w+)` by `$2 $1` in " +
			"`Ada Lovelace` gives `Lovelace Ada`. Write `${1}st` where a letter or digit follows.\n\n" +
			"Nothing to find replaces nothing.")
	return checkPattern(n, "find", func(config map[string]any) bool { return config["regex"] == true })
}

func replace(ctx context.Context, in replaceIn) (replaceOut, error) {
	switch {
	case in.Find == "":
		return replaceOut{Text: in.Text}, nil
	case in.Regex:
		return replacePattern(ctx, in)
	}
	count := strings.Count(in.Text, in.Find)
	if err := allow(ctx, len(in.Text)+count*(len(in.Replacement)-len(in.Find))); err != nil {
		return replaceOut{}, err
	}
	return replaceOut{strings.ReplaceAll(in.Text, in.Find, in.Replacement), count}, nil
}

func replacePattern(ctx context.Context, in replaceIn) (replaceOut, error) {
	re, err := compilePattern(in.Find, false)
	if err != nil {
		return replaceOut{}, err
	}
	found, err := findAll(ctx, re, in.Text, maxPlaces)
	if err != nil {
		return replaceOut{}, err
	}
	if err := claim(ctx, 2*len(in.Text)); err != nil {
		return replaceOut{}, err
	}
	text, err := expand(re, in, found)
	return replaceOut{text, len(found)}, err
}

// expand puts the replacement in place of each match. It goes reference by
// reference, so that it can stop when the text gets too long.
func expand(re *regexp.Regexp, in replaceIn, found [][]int) (string, error) {
	pieces := cutReplacement(in.Replacement)
	var b []byte
	end := 0
	for _, index := range found {
		b = append(b, in.Text[end:index[0]]...)
		for _, piece := range pieces {
			b = re.ExpandString(b, piece, in.Text, index)
			if err := checkSize(len(b)); err != nil {
				return "", err
			}
		}
		end = index[1]
	}
	b = append(b, in.Text[end:]...)
	return string(b), checkSize(len(b))
}

// cutReplacement cuts a replacement in front of each reference to a group. So the
// pieces together expand to what the whole does.
func cutReplacement(s string) []string {
	var pieces []string
	for s != "" {
		from := 1
		if strings.HasPrefix(s, "$$") {
			from = 2
		}
		end := len(s)
		if i := strings.IndexByte(s[from:], '$'); i >= 0 {
			end = from + i
		}
		pieces, s = append(pieces, s[:end]), s[end:]
	}
	return pieces
}
