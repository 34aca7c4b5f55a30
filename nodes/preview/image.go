package preview

import (
	"context"
	"errors"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

func imageNode() node.Node {
	spec := node.Spec{
		Type:    "preview.image",
		Label:   "Image",
		Aliases: node.Words("picture, photo, show image", "bild, foto, anzeigen"),
		Example: &node.Example{Config: map[string]any{"source": "https://example.com/picture.png"}},
		Description: "Shows a picture and passes its source on unchanged.\n\n" +
			"`photos/ada.png`, `https://example.com/ada.png`, `data:image/png;base64,…` or a media value with the kind image. " +
			"Pictures may be PNG, JPEG, GIF or WebP; SVG is refused, since it can carry scripts.",
		Inputs:  []node.Port{{Name: "source", Type: value.Any(), Description: "The picture: a media value, a path, a URL or a data URI of at most 10 MiB."}},
		Outputs: []node.Port{{Name: "source", Type: value.Any(), Widget: "image", Description: "The same source."}},
		Pure:    true,
		Inline:  true,
	}
	return node.Node{Spec: spec, Bind: node.Static(spec.Inputs, spec.Outputs, passImage)}
}

func passImage(_ context.Context, in, out []any) error {
	if _, err := imageOf(in[0]); err != nil {
		return node.Errorf(node.CodeInvalidInput, "source: %w", err)
	}
	out[0] = in[0]
	return nil
}

// maxDataURI is how long a data URI may be, in bytes.
const maxDataURI = 10 << 20

// imageTypes are the types of pictures that are nothing but pictures.
func imageTypes() []string { return []string{"image/png", "image/jpeg", "image/gif", "image/webp"} }

var (
	errNoImage   = errors.New("a picture is a media value, a path, a URL or a data URI")
	errImageType = errors.New("pictures may be PNG, JPEG, GIF or WebP")
	errAddress   = errors.New("the address of a picture begins with http:// or https:// and names a host")
)

// imageOf reads the source of a picture.
func imageOf(source any) (value.Media, error) {
	if record, ok := source.(map[string]any); ok {
		media, err := value.Conform(record, value.MediaType())
		if err != nil {
			return value.Media{}, err
		}
		source = media
	}
	switch source := source.(type) {
	case value.Media:
		if source.Kind != "image" || source.MIME != "" && !slices.Contains(imageTypes(), source.MIME) {
			return value.Media{}, errImageType
		}
		return source, nil
	case string:
		return imageAt(source)
	}
	return value.Media{}, errNoImage
}

// imageAt reads a path, a URL or a data URI.
func imageAt(source string) (value.Media, error) {
	if len(source) > maxDataURI || source == "" {
		return value.Media{}, errNoImage
	}
	media := value.Media{Kind: "image"}
	if data, ok := strings.CutPrefix(source, "data:"); ok {
		head, _, found := strings.Cut(data, ",")
		typ, _, err := mime.ParseMediaType(strings.TrimSuffix(head, ";base64"))
		if !found || err != nil || !slices.Contains(imageTypes(), typ) {
			return value.Media{}, errImageType
		}
		media.MIME, media.URL = typ, source
		return media, nil
	}
	scheme := schemeOf(source)
	if scheme == "" {
		media.Path = source
		return media, nil
	}
	u, err := url.Parse(source)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return value.Media{}, errAddress
	}
	media.URL = source
	return media, nil
}

// schemeOf returns the scheme of a URL (RFC 3986, section 3.1), or "" for a path.
// One letter is a drive. A path may hold what no URL can, so url.Parse cannot
// tell.
func schemeOf(source string) string {
	scheme, _, ok := strings.Cut(source, ":")
	letter := func(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	other := func(c rune) bool { return !letter(c) && !strings.ContainsRune("0123456789+-.", c) }
	if !ok || len(scheme) < 2 || !letter(rune(scheme[0])) || strings.ContainsFunc(scheme, other) {
		return ""
	}
	return scheme
}
