package text

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/svcflow/svc/engine/node"
)

type lengthIn struct {
	Text string `port:"text" doc:"The text to measure."`
}

type lengthOut struct {
	Length int `port:"length" doc:"How many characters (Unicode code points) it has."`
	Bytes  int `port:"bytes" doc:"How many bytes it takes in UTF-8."`
	Words  int `port:"words" doc:"How many words it has: what white space separates."`
	Lines  int `port:"lines" doc:"How many lines it has; an empty text has none, and a line break at the end begins no other."`
}

func lengthNode() node.Node {
	return node.Func("text.length", "Length of text", length).Pure().
		Aliases("count characters, words, lines", "zeichen zählen, wörter, zeilen").Doc(
		"Counts the characters, bytes, words and lines of a text.\n\n" +
			"`Grüße, Welt` has 11 characters, 13 bytes, 2 words and 1 line.")
}

func length(_ context.Context, in lengthIn) (lengthOut, error) {
	out := lengthOut{Length: utf8.RuneCountInString(in.Text), Bytes: len(in.Text), Lines: strings.Count(in.Text, "\n")}
	for range strings.FieldsSeq(in.Text) {
		out.Words++
	}
	if in.Text != "" && !strings.HasSuffix(in.Text, "\n") {
		out.Lines++
	}
	return out, nil
}

type sliceIn struct {
	Text  string `port:"text" doc:"The text to take a part of."`
	Start int    `port:"start" default:"0" doc:"The first character to take, from 0; negative counts from the end."`
	End   *int   `port:"end,optional" doc:"The character to stop before; negative counts from the end, and nothing takes all."`
}

type sliceOut struct {
	Text string `port:"text" doc:"The part."`
}

func sliceNode() node.Node {
	return node.Func("text.slice", "Part of text", slice).Pure().
		Aliases("substring, cut, part, shorten", "teiltext, ausschneiden, kürzen").Doc(
		"Takes the characters from start up to, but without, end.\n\n" +
			"Of `workflow`, 0 to 4 is `work`, 4 on is `flow`, and -4 to -1 is `flo`. What lies outside the text is left out. " +
			"Characters are Unicode code points, as text.length and text.regex count them.")
}

func slice(_ context.Context, in sliceIn) (sliceOut, error) {
	n := utf8.RuneCountInString(in.Text)
	start, end := clamp(in.Start, n), n
	if in.End != nil {
		end = clamp(*in.End, n)
	}
	if start >= end {
		return sliceOut{}, nil
	}
	from := offset(in.Text, start)
	return sliceOut{in.Text[from : from+offset(in.Text[from:], end-start)]}, nil
}

// clamp makes i, which counts from the end if negative, an index into n things.
func clamp(i, n int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, 0), n)
}

// offset returns where in text the nth character begins.
func offset(text string, n int) int {
	for at := range text {
		if n == 0 {
			return at
		}
		n--
	}
	return len(text)
}
