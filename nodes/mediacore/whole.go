package mediacore

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type renderIn struct {
	Source   value.Media `port:"source,deferred" doc:"A video, a picture or a sound."`
	Lossless bool        `port:"lossless" default:"false" doc:"Loses nothing; such a file is big."`
}

type renderOut struct {
	Media value.Media `port:"media" doc:"The same as a file."`
}

func (c *core) render() node.Node {
	return rendering(c, "media.render", "Render", func(w work, in renderIn) (renderOut, error) {
		r, err := w.recipe(in.Source)
		if err != nil {
			return renderOut{}, err
		}
		if m, ok := r.File(); ok {
			return renderOut{m}, nil
		}
		to := media.Interim(r.Facts)
		if in.Lossless {
			to = media.Lossless(r.Facts)
		}
		name, err := w.Place(w.ctx, "", to.Format)
		if err != nil {
			return renderOut{}, err
		}
		made, err := w.Render(w.ctx, &r, to, name)
		return renderOut{made.Media}, err
	}).Aliases("make file, pin, cache", "datei erzeugen, festhalten").Doc(
		"Makes the file of what the nodes in front of it ask for. It is worth its place where several nodes need the result of a long chain: without it each makes that for itself.\n\n" +
			"Example: wire `video` of the last node of the chain into `source`.")
}

type fileIn struct {
	FilePath string `port:"file_path" widget:"file" doc:"The file."`
}

type fileOut struct {
	FilePath string `port:"file_path" doc:"The same."`
}

func (c *core) fileOutput() node.Node {
	return node.Func("media.file_output", "File", func(_ context.Context, in fileIn) (fileOut, error) { return fileOut(in), nil }).
		Pure().Inline().Aliases("result, show file", "ergebnis, datei zeigen").Doc("Shows a file that a workflow has made, and passes it on.\n\nExample: `file_path` = `out.mp4`.")
}

type thumbnailIn struct {
	Video  value.Media `port:"video,deferred" media:"video" doc:"The video."`
	AtMs   *float64    `port:"at_ms,optional" doc:"When; without it a frame that tells much."`
	Width  int         `port:"width" default:"640" doc:"How wide it gets; the shape stays."`
	Format string      `port:"format" enum:"jpeg|png|webp" default:"jpeg" doc:"How it is encoded."`
}

type thumbnailOut struct {
	Image value.Media `port:"image" media:"image" doc:"The picture."`
	AtMs  float64     `port:"at_ms" doc:"When it is seen."`
}

func (c *core) thumbnail() node.Node {
	return rendering(c, "media.video_thumbnail", "Thumbnail", func(w work, in thumbnailIn) (thumbnailOut, error) {
		r, err := w.recipe(in.Video)
		if err != nil {
			return thumbnailOut{}, err
		}
		at := min(r.Facts.Duration/3, 5) // usually behind titles and black frames
		if in.AtMs != nil {
			at = *in.AtMs / 1000
		}
		width, height, err := size(&in.Width, nil, r.Facts)
		if err != nil {
			return thumbnailOut{}, err
		}
		if r, err = w.steps(r, media.Step{Op: "frame", Numbers: map[string]float64{"at": at}}, stretched(width, height)); err != nil {
			return thumbnailOut{}, err
		}
		name, err := w.Place(w.ctx, "", in.Format)
		if err != nil {
			return thumbnailOut{}, err
		}
		made, err := w.Render(w.ctx, &r, media.Target{Format: in.Format, Quality: 85}, name)
		return thumbnailOut{made.Media, ms(at)}, err
	}).Converts(value.MediaOf("video"), value.MediaOf("image")).Aliases("poster, still, screenshot, frame", "vorschaubild, standbild").Doc("Takes a picture out of a video.\n\nExample: `at_ms` = `1500`, `width` = `320`.")
}

type probeIn struct {
	Source value.Media `port:"source,deferred" doc:"A video, a picture or a sound."`
}

type probeOut struct {
	Kind       string         `port:"kind" doc:"video, image or audio."`
	DurationMs *float64       `port:"duration_ms" doc:"How long it is; null for pictures."`
	Width      *int           `port:"width" doc:"Its width in pixels; null for sounds."`
	Height     *int           `port:"height" doc:"Its height in pixels."`
	FPS        *float64       `port:"fps" doc:"Frames a second, of videos."`
	Streams    []any          `port:"streams" doc:"What is in the file: kind, codec and more of each; empty before the file is made."`
	Chapters   []chapter      `port:"chapters" doc:"Its chapters."`
	Tags       map[string]any `port:"tags" doc:"What the file tells of itself."`
	SizeBytes  *int           `port:"size_bytes" doc:"How big the file is; null before it is made."`
}

type chapter struct {
	Title   string  `port:"title" doc:"What it is called."`
	StartMs float64 `port:"start_ms" doc:"Where it begins."`
	EndMs   float64 `port:"end_ms" doc:"Where it ends."`
}

func (c *core) probe() node.Node {
	return rendering(c, "media.probe", "Facts of media", func(w work, in probeIn) (probeOut, error) {
		r, err := w.recipe(in.Source)
		if err != nil {
			return probeOut{}, err
		}
		f, out := r.Facts, probeOut{Kind: r.Facts.Kind, Streams: []any{}, Chapters: []chapter{}, Tags: map[string]any{}}
		if f.Kind != "image" {
			out.DurationMs = new(ms(f.Duration))
		}
		if f.Kind != "audio" {
			out.Width, out.Height = new(f.Width), new(f.Height)
		}
		if f.Kind == "video" {
			out.FPS = new(f.Rate.Float())
		}
		if len(r.Steps) > 0 {
			return out, nil
		}
		s := r.Sources[0]
		out.SizeBytes = new(int(s.Size))
		for name, text := range w.Tags(s) {
			out.Tags[name] = text
		}
		out.Streams = w.Streams(s)
		for _, c := range w.Chapters(s) {
			out.Chapters = append(out.Chapters, chapter{c.Text, ms(c.Start), ms(c.End)})
		}
		return out, nil
	}).Aliases("metadata, info, duration, resolution, ffprobe", "metadaten, dauer, auflösung").Doc(
		"Tells what is known of a video, a picture or a sound, also before its file is made.\n\nExample: `duration_ms` of `clip.mp4`.")
}
