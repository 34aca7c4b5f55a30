package text

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/svcflow/svc/engine/node"
)

type transformIn struct {
	Text string `port:"text" doc:"The text to change."`
	Mode string `port:"mode" enum:"upper|lower|title|trim|trim_start|trim_end|reverse|slug" doc:"What to do with it."`
}

type transformOut struct {
	Text string `port:"text" doc:"The changed text."`
}

func transformNode() node.Node {
	return node.Func("text.transform", "Transform text", transform).Pure().Inline().
		Aliases("upper case, lower case, trim, slug, capitalize", "großbuchstaben, kleinbuchstaben, leerzeichen entfernen").Doc(
		"Changes the letters or the ends of a text, in every script.\n\n" +
			"| mode | `Crème brûlée ` becomes |\n|---|---|\n" +
			"| upper, lower, title | `CRÈME BRÛLÉE `, `crème brûlée `, `Crème Brûlée ` |\n" +
			"| trim, trim_start, trim_end | without white space at both ends, the start, the end |\n" +
			"| reverse | ` eélûrb emèrC`; what is seen as one character stays together |\n" +
			"| slug | `creme-brulee`: lower case, accents dropped, `-` between words, for addresses and file names |")
}

func transform(ctx context.Context, in transformIn) (out transformOut, err error) {
	switch in.Mode {
	case "trim":
		return transformOut{strings.TrimSpace(in.Text)}, nil
	case "trim_start":
		return transformOut{strings.TrimLeftFunc(in.Text, unicode.IsSpace)}, nil
	case "trim_end":
		return transformOut{strings.TrimRightFunc(in.Text, unicode.IsSpace)}, nil
	}
	if in.Mode == "slug" && len(in.Text) > maxSlug {
		return out, tooMuch("a slug is made of at most 1 MiB of text; take a part of it")
	}
	if err := checkSize(len(in.Text)); err != nil {
		return out, err
	}
	if err := claim(ctx, 2*len(in.Text)); err != nil {
		return out, err
	}
	out.Text = change(in.Text, in.Mode)
	return out, checkSize(len(out.Text))
}

// maxSlug bounds the text that a slug is made of, in bytes: taken apart it may be
// eleven times as long, and is looked at letter by letter.
const maxSlug = 1 << 20

func change(text, mode string) string {
	switch mode {
	case "upper":
		if isASCII(text) {
			return strings.ToUpper(text)
		}
		return cases.Upper(language.Und).String(text)
	case "lower":
		if isASCII(text) {
			return strings.ToLower(text)
		}
		return cases.Lower(language.Und).String(text)
	case "title":
		return cases.Title(language.Und).String(text)
	case "reverse":
		return reverse(text)
	}
	return slug(text)
}

// isASCII picks out the text for which package strings gives the same letters as
// package cases, and much faster. The difference is in one letter that becomes
// two (ß, ŉ) and in letters that depend on where they stand (Σ).
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// reverse turns the order of grapheme clusters around, so that accents stay on
// their letters and flags stay flags.
func reverse(text string) string {
	buf := make([]byte, len(text))
	end, state := len(text), -1
	for rest, cluster := text, ""; rest != ""; {
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		end -= copy(buf[end-len(cluster):], cluster)
	}
	return string(buf)
}

// slug keeps letters and digits and puts one '-' for whatever stands between
// them. It drops the accents that any letter can carry; marks that belong to a
// script, such as the vowels of Hindi, are part of the word.
func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(text) {
		switch {
		case unicode.Is(unicode.Mn, r) && unicode.Is(unicode.Inherited, r):
		case unicode.In(r, unicode.L, unicode.M, unicode.Nd):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(unicode.ToLower(r))
		default:
			gap = true
		}
	}
	return norm.NFC.String(b.String())
}
