package valueview

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"fyne.io/fyne/v2/lang"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/ui/colors"
	"github.com/svcflow/svc/ui/kit"
)

// MaxText is the maximum size of a text that is shown, in bytes.
const MaxText = 256 << 10

// MonoSize is the font size of monospaced text, in dp.
const MonoSize = kit.Mono

// maxCopy is the maximum number of bytes of JSON to copy to the clipboard.
const maxCopy = 64 << 20

// Print returns the whole text of a value, as it is copied: strings as they are, all others
// as indented JSON. ok is false if that would be more than 64 MiB.
func Print(v any) (text string, ok bool) {
	if s, isString := v.(string); isString {
		return s, true
	}
	compact, ok := value.AppendMax(nil, v, maxCopy)
	if !ok {
		return "", false
	}
	indented, ok := value.IndentJSONMax(nil, compact, maxCopy)
	if !ok {
		return string(compact), true
	}
	return string(indented), true
}

// cutText returns the beginning of s, at most limit bytes, without cutting a letter.
func cutText(s string, limit int) (text string, cut bool) {
	if len(s) <= limit {
		return s, false
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit], true
}

// Brief describes a value in one short line: "12 items", "3 fields", a number, the beginning
// of a text.
func Brief(v any) string {
	count := func(n int) map[string]any { return map[string]any{"N": n} }
	switch v := v.(type) {
	case []any:
		if len(v) == 1 {
			return lang.L("1 item")
		}
		return lang.L("{{.N}} items", count(len(v)))
	case map[string]any:
		if len(v) == 1 {
			return lang.L("1 field")
		}
		return lang.L("{{.N}} fields", count(len(v)))
	case value.Media:
		source, _ := either(v.Path, v.URL)
		return oneLine(v.Kind + " " + source)
	case string:
		return oneLine(v)
	}
	return string(value.Encode(v))
}

// oneLine returns the beginning of a text without line breaks.
func oneLine(s string) string {
	const longest = 240
	cut, was := cutText(s, longest)
	cut = strings.Join(strings.Fields(cut), " ")
	if was {
		cut += "…"
	}
	return cut
}

// leaf prints a value in a tree or a table: lists and records as their sizes.
func leaf(v any) string {
	switch v := v.(type) {
	case []any, map[string]any:
		return Brief(v)
	case value.Media:
		return Brief(v)
	case string:
		return strconv.Quote(oneLine(v))
	}
	return string(value.Encode(v))
}

// inkOf returns the colour of the type of a value.
func inkOf(v any) kit.ColorFunc {
	switch v.(type) {
	case string:
		return colors.OfType(value.String())
	case int:
		return colors.OfType(value.Int())
	case float64:
		return colors.OfType(value.Float())
	case bool:
		return colors.OfType(value.Bool())
	case value.Credential:
		return colors.OfType(value.CredentialType())
	case value.Media:
		return colors.OfType(value.MediaType())
	}
	return kit.Dim
}

// printUpTo prints a value as indented JSON, or as compact JSON if that is too long. ok is
// false if both are.
func printUpTo(v any, limit int) (text string, ok bool) {
	compact, ok := value.AppendMax(nil, v, limit)
	if !ok {
		return "", false
	}
	if indented, ok := value.IndentJSONMax(nil, compact, limit); ok {
		return string(indented), true
	}
	return string(compact), true
}
