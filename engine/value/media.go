package value

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Media points to an image, a sound or another file that is too large to embed, or
// describes how to make one. Exactly one of Path, URL and Recipe is set.
type Media struct {
	Kind string // "image", "audio", "video" or "file"
	MIME string // e.g. "image/png"
	Path string // a path, as file nodes use it
	URL  string
	// Recipe describes how to make the file if it does not exist yet: a JSON object as
	// [Append] prints it, so that equal recipes are equal texts. Its content is defined by
	// the nodes that write and read it.
	Recipe string
}

// MaxRecipe is the maximum size of a recipe, in bytes.
const MaxRecipe = 64 << 10

// check does not check that a recipe is valid JSON: parsing it wherever a value passes
// would cost too much. mediaFrom and the makers of recipes ensure it.
func (m Media) check() error {
	given := 0
	for _, text := range [...]string{m.Path, m.URL, m.Recipe} {
		if text != "" {
			given++
		}
	}
	switch {
	case m.Kind == "" || given != 1:
		return errors.New("media has a kind and exactly one of path, url and recipe")
	case len(m.Recipe) > MaxRecipe:
		return errors.New("the recipe of media may have 64 KiB")
	}
	return checkText(strings.Join([]string{m.Kind, m.MIME, m.Path, m.URL, m.Recipe}, "\n"))
}

// mediaFrom reads media from its JSON form.
func mediaFrom(r map[string]any) (Media, bool) {
	var m Media
	for name, field := range map[string]*string{"kind": &m.Kind, "mime": &m.MIME, "path": &m.Path, "url": &m.URL} {
		v, present := r[name]
		s, ok := v.(string)
		if present && !ok {
			return Media{}, false
		}
		*field = s
	}
	if recipe, present := r["recipe"]; present {
		steps, ok := recipe.(map[string]any)
		if !ok {
			return Media{}, false
		}
		text, ok := AppendMax(nil, steps, MaxRecipe)
		if !ok {
			return Media{}, false
		}
		m.Recipe = string(text)
	}
	return m, m.check() == nil
}

// append prints the JSON form, with sorted keys.
func (m Media) append(dst []byte) []byte {
	dst = AppendText(append(dst, `{"kind":`...), m.Kind)
	dst = AppendText(append(dst, `,"mime":`...), m.MIME)
	switch {
	case m.Recipe != "":
		dst = append(append(dst, `,"recipe":`...), m.Recipe...)
	case m.URL != "":
		dst = AppendText(append(dst, `,"url":`...), m.URL)
	default:
		dst = AppendText(append(dst, `,"path":`...), m.Path)
	}
	return append(dst, '}')
}

// NewRecipe returns media that is to be made from recipe, which must be a JSON object.
func NewRecipe(kind, mime string, recipe []byte) (Media, error) {
	v, err := Decode(recipe)
	if err != nil {
		return Media{}, err
	}
	if _, ok := v.(map[string]any); !ok {
		return Media{}, errors.New("a recipe is an object")
	}
	text := Encode(v)
	m := Media{Kind: kind, MIME: mime, Recipe: string(bytes.TrimSpace(text))}
	return m, m.check()
}

// Deferred reports whether v contains media that is not made yet.
func Deferred(v any) bool {
	switch v := v.(type) {
	case Media:
		return v.Recipe != ""
	case []any:
		return slices.ContainsFunc(v, Deferred)
	case map[string]any:
		for _, e := range v {
			if Deferred(e) {
				return true
			}
		}
	}
	return false
}

// MediaOf returns media(kinds…). Without kinds it returns media, which accepts any kind.
func MediaOf(kinds ...string) Type {
	return Type{kind: KindMedia, parts: &parts{members: slices.Clone(kinds)}}
}

// kinds compares two media types: the result is Fits if all kinds of source are kinds of
// target, Checked if some are, and Misfit if none is.
func (c *Comparison) kinds(source, target *Type) Fit {
	switch {
	case len(target.Members()) == 0:
		return Fits
	case len(source.Members()) == 0:
		return Checked
	}
	all, some := Fits, Misfit
	for _, m := range source.Members() {
		if !c.step() {
			return Misfit
		}
		if slices.Contains(target.Members(), m) {
			some = Checked
		} else {
			all = Misfit
		}
	}
	return max(all, some)
}

// conformKind returns an error for media of a kind that t does not accept.
func conformKind(m Media, t *Type) error {
	if len(t.Members()) == 0 || slices.Contains(t.Members(), m.Kind) {
		return nil
	}
	return fmt.Errorf("expected %s, got media of the kind %q", t.Brief(), Shorten(m.Kind, maxBrief))
}
