package text

import (
	"context"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxParts bounds the list that a node makes.
const maxParts = 1_000_000

type splitIn struct {
	Text      string `port:"text" doc:"The text to cut."`
	Delimiter string `port:"delimiter" default:"," doc:"What stands between the parts. Empty cuts between characters."`
	Limit     int    `port:"limit" default:"0" doc:"How many parts there may be; the last one keeps the rest uncut. 0 means any number."`
}

type splitOut struct {
	Parts []string `port:"parts" doc:"The parts, without the delimiter."`
}

func splitNode() node.Node {
	return node.Func("text.split", "Split text", split).Pure().
		Converts(value.String(), value.ListOf(value.String())).
		Aliases("separate, explode, csv, lines", "trennen, aufteilen, zerlegen").Doc(
		"Cuts a text wherever the delimiter stands.\n\n" +
			"`a,b,,c` cut at `,` gives `[\"a\",\"b\",\"\",\"c\"]`, and with limit 2 `[\"a\",\"b,,c\"]`.\n\n" +
			"An empty text gives one empty part. An empty delimiter cuts between characters, as people see them: " +
			"a letter and its accents stay together, and an empty text has no parts.")
}

func split(ctx context.Context, in splitIn) (out splitOut, err error) {
	if in.Limit < 0 {
		return out, node.Errorf(node.CodeInvalidInput, "limit is %d; give 0 for any number of parts, or a positive number", in.Limit)
	}
	limit := maxParts + 1
	if in.Limit > 0 {
		limit = min(limit, in.Limit)
	}
	if err := claim(ctx, partBytes*parts(in, limit)); err != nil {
		return out, err
	}
	if in.Delimiter == "" {
		out.Parts = clusters(in.Text, limit)
	} else {
		out.Parts = strings.SplitN(in.Text, in.Delimiter, limit)
	}
	if len(out.Parts) > maxParts {
		return splitOut{}, node.Permanent(node.Errorf(node.CodeLimitExceeded, "more than %d parts; set a limit, or cut a shorter text", maxParts))
	}
	return out, nil
}

// partBytes is the memory of a part without its text.
const partBytes = 64

// parts returns an upper bound of the number of parts.
func parts(in splitIn, limit int) int {
	if in.Delimiter == "" {
		return min(limit, len(in.Text))
	}
	return min(limit, strings.Count(in.Text, in.Delimiter)+1)
}

// clusters cuts text into at most limit parts, all but the last of which are
// single grapheme clusters.
func clusters(text string, limit int) []string {
	var parts []string
	cluster, state := "", -1
	for text != "" && len(parts) < limit-1 {
		cluster, text, _, state = uniseg.FirstGraphemeClusterInString(text, state)
		parts = append(parts, cluster)
	}
	if text != "" {
		parts = append(parts, text)
	}
	return parts
}
