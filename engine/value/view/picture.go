package view

import (
	"errors"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/value"
)

// maxDataURI is the maximum length of a data URI, in bytes.
const maxDataURI = 10 << 20

// imageTypes returns the accepted image types. They cannot contain scripts.
func imageTypes() []string { return []string{"image/png", "image/jpeg", "image/gif", "image/webp"} }

var (
	errNoImage   = errors.New("a picture is a media value, a path, a URL or a data URI")
	errImageType = errors.New("pictures may be PNG, JPEG, GIF or WebP")
	errAddress   = errors.New("the address of a picture begins with http:// or https:// and names a host")
)

// PictureOf returns the picture at source: a media value, a path, a URL or a data URI.
// Pictures are PNG, JPEG, GIF or WebP. SVG is refused, because it can contain scripts.
func PictureOf(source any) (value.Media, error) {
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

// imageAt returns the picture at a path, a URL or a data URI.
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

// schemeOf returns the scheme of a URL (RFC 3986, section 3.1), or "" for a path. A single
// letter is a drive. url.Parse is not used, because it refuses some valid paths.
func schemeOf(source string) string {
	scheme, _, ok := strings.Cut(source, ":")
	letter := func(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
	other := func(c rune) bool { return !letter(c) && !strings.ContainsRune("0123456789+-.", c) }
	if !ok || len(scheme) < 2 || !letter(rune(scheme[0])) || strings.ContainsFunc(scheme, other) {
		return ""
	}
	return scheme
}
