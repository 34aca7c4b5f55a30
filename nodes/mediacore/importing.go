package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type importIn struct {
	Path string `port:"path" default:"" widget:"file" doc:"The file. On a server it is relative to the files folder."`
	URL  string `port:"url" default:"" doc:"Where the file is in the web, instead of a path. It is kept with the run."`
}

type videoImportOut struct {
	Video      value.Media `port:"video" media:"video" doc:"The video, upright."`
	Width      int         `port:"width" doc:"Its width in pixels, as it is seen."`
	Height     int         `port:"height" doc:"Its height in pixels, as it is seen."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
	FPS        float64     `port:"fps" doc:"Frames a second; the mean where they come unevenly."`
	HasAudio   bool        `port:"has_audio" doc:"Whether it has sound."`
	Codec      string      `port:"codec" doc:"How its picture is encoded, such as h264."`
}

// load examines the file that an import names.
func (w work) load(in importIn, kind string) (media.Recipe, error) {
	switch {
	case in.Path == "" && in.URL == "":
		return media.Recipe{}, node.Errorf(node.CodeInvalidInput, "give a path or a url")
	case in.Path != "" && in.URL != "":
		return media.Recipe{}, node.Errorf(node.CodeInvalidInput, "give a path or a url, not both")
	}
	return w.recipe(value.Media{Kind: kind, Path: in.Path, URL: in.URL})
}

func (c *core) videoImport() node.Node {
	return deferring(c, "media.video_import", "Import video", "video", func(w work, in importIn) (videoImportOut, error) {
		r, err := w.load(in, "video")
		if err != nil {
			return videoImportOut{}, err
		}
		m, f, err := w.give(r)
		return videoImportOut{m, f.Width, f.Height, ms(f.Duration), f.Rate.Float(), f.Sound, r.Sources[0].Picture}, err
	}).Aliases("load video, open clip, mp4, mov", "video laden, clip öffnen").Example(map[string]any{"path": "clip.mp4"}).Doc(
		"Takes a video from a file, or from the web, for the nodes behind it. Videos that phones have turned come upright, and unevenly spaced frames at a constant rate.\n\n" +
			"Example: `path` = `clip.mp4`.")
}
