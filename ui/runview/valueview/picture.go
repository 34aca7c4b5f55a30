package valueview

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"image"
	"net/url"
	"strings"

	// The formats of pictures; others work if the program has their decoders.
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"

	"github.com/svcflow/svc/ui/poster"
)

// trouble is an error for the user: a key of translations.
type trouble string

// Error implements error.
func (t trouble) Error() string { return string(t) }

const (
	errWeb     trouble = "Pictures from the web are not loaded here. Copy the address and open it in a browser."
	errNoFiles trouble = "The picture is a file on another computer and cannot be shown here."
	errTooBig  trouble = "The picture is too large to show here."
	errFormat  trouble = "This is no picture that can be shown here."
	errMissing trouble = "The file of the picture cannot be read."
)

const (
	maxFile   = 64 << 20 // bytes of a picture file
	maxPixels = 50_000_000
)

// ReadPicture loads the picture that a value refers to. Its errors are keys of translations.
// at is the host of files; it may be nil.
func ReadPicture(ctx context.Context, at poster.Host, v any) (image.Image, error) {
	source, ok := pictureOf(v)
	if !ok {
		return nil, errFormat
	}
	return loadPicture(ctx, source, at)
}

// loadPicture loads the picture at a path or in a data URL. at may be nil.
func loadPicture(ctx context.Context, source string, at poster.Host) (image.Image, error) {
	data, err := pictureData(ctx, source, at)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	about, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, errFormat
	}
	if about.Width <= 0 || about.Height <= 0 || about.Width > maxPixels/about.Height {
		return nil, errTooBig
	}
	picture, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, errFormat
	}
	return picture, nil
}

func pictureData(ctx context.Context, source string, at poster.Host) ([]byte, error) {
	switch {
	case strings.HasPrefix(source, "data:"):
		return dataOf(source)
	case strings.HasPrefix(source, "http://"), strings.HasPrefix(source, "https://"):
		return nil, errWeb
	case at == nil:
		return nil, errNoFiles
	}
	data, err := poster.File(ctx, at, source, maxFile)
	switch {
	case errors.Is(err, poster.ErrFull):
		return nil, errTooBig
	case err != nil:
		return nil, cmp.Or(ctx.Err(), error(errMissing))
	}
	return data, nil
}

// dataOf returns the content of a data URL.
func dataOf(source string) ([]byte, error) {
	if len(source) > maxFile {
		return nil, errTooBig
	}
	head, body, ok := strings.Cut(source, ",")
	if !ok {
		return nil, errFormat
	}
	if !strings.HasSuffix(head, ";base64") {
		text, err := url.PathUnescape(body)
		if err != nil {
			return nil, errFormat
		}
		return []byte(text), nil
	}
	data, err := base64.StdEncoding.DecodeString(body)
	if err != nil {
		return nil, errFormat
	}
	return data, nil
}
