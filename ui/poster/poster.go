// Package poster previews media that is not played here: a picture of a video, the waveform
// of a sound, and facts about both. A small workflow makes these on the host of the media,
// this computer or a server.
package poster

import (
	"bytes"
	"context"
	"errors"
	"image"
	"io"
	"os"
	"strings"

	// The formats that the workflow makes.
	_ "image/jpeg"
	_ "image/png"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// Host is where media is.
type Host interface {
	// Execute runs a workflow without recording the run.
	Execute(ctx context.Context, def *workflow.Definition) (*engine.Result, error)
	// Read writes a file to w.
	Read(ctx context.Context, path string, w io.Writer) error
	// Forget deletes a file that such a run has made.
	Forget(path string)
	// Local returns this computer, to look at copies of files that only the workflow which
	// made them can read on a server; the host itself if it is this computer.
	Local() Host
}

// Poster is the preview of media.
type Poster struct {
	Picture image.Image // nil without a picture
	Facts   string      // "16 s · 640 × 480 · 25 fps · h264, aac · 3.2 MB"
}

// width is the width of pictures.
const width = 640

// maxCopy is the maximum size of a file to fetch for a preview, in bytes.
const maxCopy = 256 << 20

// maxPicture is the maximum size of a picture file, in bytes.
const maxPicture = 16 << 20

// trouble is an error for the user: a key of translations.
type trouble string

// Error implements error.
func (t trouble) Error() string { return string(t) }

const (
	errNone trouble = "Media cannot be previewed here: that takes the media nodes, and ffmpeg."
	errKind trouble = "Files of this kind are not opened from here."
	errGone trouble = "The file cannot be read."
	errBig  trouble = "The file is too large to be looked at from here. Open it instead."
)

// Make makes the preview of media. If no picture can be made, it has the facts only.
func Make(ctx context.Context, at Host, m value.Media) (Poster, error) {
	if at == nil {
		return Poster{}, errNone
	}
	if near := at.Local(); near != at && strings.HasPrefix(m.Path, node.RunsDir+"/") {
		copied, err := fetch(ctx, at, m, "", maxCopy)
		if err != nil {
			return Poster{}, err
		}
		defer os.Remove(copied) //nolint:errcheck // the system removes what is left
		at, m.Path = near, copied
	}
	done, err := at.Execute(ctx, definition(m))
	if invalid := engine.ValidationErrors(nil); errors.As(err, &invalid) {
		return Poster{}, errNone
	}
	if err != nil {
		return Poster{}, err
	}
	facts, look := done.Nodes["facts"], done.Nodes["look"]
	if facts.Error != nil {
		return Poster{}, errors.New(facts.Error.Message)
	}
	made := Poster{Facts: factsOf(facts.Outputs)}
	picture, ok := mediaOf(look.Outputs["image"])
	if !ok {
		return made, nil
	}
	defer at.Forget(picture.Path)
	file, err := File(ctx, at, picture.Path, maxPicture)
	if err != nil {
		return made, ctx.Err() // the facts alone are useful, too
	}
	if made.Picture, _, err = image.Decode(bytes.NewReader(file)); err != nil {
		made.Picture = nil
	}
	return made, ctx.Err()
}

// File reads a file of at most most bytes; a larger one is [ErrFull].
func File(ctx context.Context, at Host, path string, most int) ([]byte, error) {
	to := &bounded{room: most}
	if err := at.Read(ctx, path, to); err != nil {
		return nil, err
	}
	return to.kept.Bytes(), nil
}

// definition returns the workflow that makes the preview.
func definition(m value.Media) *workflow.Definition {
	source := map[string]any{"kind": m.Kind, "mime": m.MIME, "path": m.Path}
	look := workflow.Node{ID: "look", Type: "media.audio_waveform", Config: map[string]any{"source": source, "width": width, "height": width / 4}}
	if m.Kind == "video" {
		look.Type, look.Config = "media.video_thumbnail", map[string]any{"video": source, "width": width}
	}
	return &workflow.Definition{ID: "look", Nodes: []workflow.Node{
		{ID: "facts", Type: "media.probe", Config: map[string]any{"source": source}}, look,
	}}
}

func mediaOf(v any) (value.Media, bool) {
	if v == nil {
		return value.Media{}, false
	}
	conformed, err := value.Conform(v, value.MediaType())
	m, ok := conformed.(value.Media)
	return m, ok && err == nil && m.Path != ""
}

// bounded accepts a limited number of bytes.
type bounded struct {
	kept bytes.Buffer
	to   io.Writer // instead, if it is not nil
	room int
}

// ErrFull reports that a file exceeds its maximum size.
var ErrFull = errors.New("the file is too large")

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, ErrFull
	}
	if b.to != nil {
		return b.to.Write(p)
	}
	return b.kept.Write(p)
}
