package valueview

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/value/view"
)

// Kind is a kind of view.
type Kind uint8

// The kinds. Auto is the one that suits the value best.
const (
	Auto Kind = iota
	Text
	Tree
	Table
	Picture
	Markdown
	Media // a preview and facts
)

// wished returns the possible kinds for a value with a wish, the wished one first.
func wished(v any, w view.Wish) []Kind {
	kinds := Kinds(v)
	_, isText := v.(string)
	first := Auto
	switch w.Kind {
	case view.Text:
		first = Text
	case view.JSON:
		first = Tree
	case view.Markdown:
		if isText {
			first = Markdown
		}
	case view.Table:
		if list, ok := v.([]any); ok && isTable(list) {
			first = Table
		}
	case view.Picture:
		if _, err := view.PictureOf(v); err == nil {
			first = Picture
		}
	case view.Auto, view.Media:
	}
	if first == Auto {
		return kinds
	}
	return append([]Kind{first}, slices.DeleteFunc(kinds, func(k Kind) bool { return k == first })...)
}

// Kinds returns the possible kinds of view for a value, best first.
func Kinds(v any) []Kind {
	switch v := v.(type) {
	case []any:
		if isTable(v) {
			return []Kind{Table, Tree, Text}
		}
		return []Kind{Tree, Text}
	case map[string]any:
		if _, ok := pictureOf(v); ok {
			return []Kind{Picture, Tree, Text}
		}
		if d := view.Of(v, view.Wish{Kind: view.Media}); d.Kind == view.Media {
			return kindsOfMedia(d.Media)
		}
		return []Kind{Tree, Text}
	case value.Media:
		if _, ok := pictureOf(v); ok {
			return []Kind{Picture, Tree, Text}
		}
		return kindsOfMedia(v)
	case string:
		if strings.HasPrefix(v, "data:image/") {
			return []Kind{Picture, Text}
		}
		if _, ok := pictureOf(v); ok {
			return []Kind{Text, Picture}
		}
	}
	return []Kind{Text}
}

// kindsOfMedia returns the kinds for media that is not a picture file. For media that is
// still to be made, the text describes it and the tree has all of it.
func kindsOfMedia(m value.Media) []Kind {
	if m.Path != "" {
		return []Kind{Media, Text, Tree}
	}
	return []Kind{Text, Tree}
}

// isTable reports whether a list can be shown as a table: its items are records.
func isTable(list []any) bool {
	for i := range min(len(list), sampled) {
		if _, ok := list[i].(map[string]any); !ok {
			return false
		}
	}
	return len(list) > 0
}

// pictureOf returns the source of a picture, if v may be one: a path, or a URL.
func pictureOf(v any) (source string, ok bool) {
	switch v := v.(type) {
	case string:
		return v, strings.HasPrefix(v, "data:image/") || hasPictureName(v)
	case value.Media:
		source, _ = either(v.Path, v.URL)
		return source, v.Kind == "image" && source != ""
	case map[string]any:
		if kind, _ := v["kind"].(string); kind != "image" {
			return "", false
		}
		path, _ := v["path"].(string)
		address, _ := v["url"].(string)
		return either(path, address)
	}
	return "", false
}

func either(a, b string) (string, bool) {
	if a != "" {
		return a, true
	}
	return b, b != ""
}

// hasPictureName reports whether s looks like the path of a picture.
func hasPictureName(s string) bool {
	const longest = 1024
	if len(s) > longest || strings.ContainsAny(s, "\n\r\t") {
		return false
	}
	lower := strings.ToLower(s)
	for _, end := range []string{".png", ".jpg", ".jpeg", ".gif", ".webp"} {
		if strings.HasSuffix(lower, end) && len(s) > len(end) {
			return true
		}
	}
	return false
}
