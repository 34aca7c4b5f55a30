package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type captionIn struct {
	Video       value.Media     `port:"video,deferred" media:"video" doc:"The video."`
	Captions    []media.Caption `port:"captions" doc:"What is shown, and when."`
	StyleConfig *media.Style    `port:"style_config,optional" doc:"What they look like, from media.caption_style; without it white letters with a black edge at the bottom."`
	Timing      *timing         `port:"timing,optional" doc:"By how much they come later, from media.timing_controller."`
}

func (c *core) captionOverlay() node.Node {
	return deferring(c, "media.caption_overlay", "Show captions", "video", func(w work, in captionIn) (timedOut, error) {
		style := media.DefaultStyle()
		if in.StyleConfig != nil {
			style = *in.StyleConfig
		}
		s := style.Step()
		var err error
		if s.Spans, err = media.SpansOf(in.Captions, in.Timing.captions()); err != nil {
			return timedOut{}, err
		}
		return timed(w.then(s, in.Video))
	}).Aliases("subtitles, burn in, karaoke", "untertitel, einbrennen").Example(map[string]any{
		"captions": []any{map[string]any{"text": "Hello", "start_ms": 500, "end_ms": 2000}},
	}).Doc("Writes captions into the picture of a video. Nothing in their texts has a meaning of its own; a new line is one.\n\n" +
		"Example: wire `captions` of `media.subtitles_read` or of `media.captions_arrange`.")
}
