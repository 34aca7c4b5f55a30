package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type lettering struct {
	Text       string  `port:"text" widget:"multiline" doc:"What to write. Nothing in it has a meaning of its own."`
	Position   string  `port:"position" enum:"top_left|top|top_right|left|center|right|bottom_left|bottom|bottom_right" default:"bottom" doc:"Where."`
	Margin     int     `port:"margin" default:"24" doc:"How many pixels from the edge."`
	FontFamily string  `port:"font_family" default:"Sans" doc:"The name of a font of the server."`
	FontSize   int     `port:"font_size" default:"42" doc:"Its size in pixels."`
	Color      string  `port:"color" default:"#FFFFFF" widget:"color" doc:"The colour of the letters."`
	Background *string `port:"background,optional" widget:"color" doc:"The colour of a box behind them; none has letters with an edge instead."`
}

func (l lettering) step(start, end float64) media.Step {
	background := "transparent"
	if l.Background != nil && *l.Background != "" {
		background = *l.Background
	}
	return media.Step{
		Op: "text", Text: l.Text,
		Numbers: map[string]float64{"margin": float64(l.Margin), "size": float64(l.FontSize), "start": start / 1000, "end": end / 1000},
		Words:   map[string]string{"position": l.Position, "font": l.FontFamily, "color": l.Color, "background": background},
	}
}

type videoTextIn struct {
	Video value.Media `port:"video,deferred" media:"video" doc:"The video."`
	lettering
	StartMs float64 `port:"start_ms" default:"0" doc:"From when on it is seen."`
	EndMs   float64 `port:"end_ms" default:"0" doc:"Until when; 0 is the end."`
}

func (c *core) videoText() node.Node {
	return deferring(c, "media.video_text", "Write on video", "video", func(w work, in videoTextIn) (videoOut, error) {
		m, _, err := w.then(in.step(in.StartMs, in.EndMs), in.Video)
		return videoOut{m}, err
	}).Aliases("title, caption, text overlay", "titel, beschriften, text einblenden").Doc(
		"Writes a text on the picture of a video.\n\nExample: `text` = `100 % {ok}`, `position` = `top_left`.")
}

type overlayRecord struct {
	Source  value.Media `port:"source" media:"image|video" doc:"What is seen."`
	X       int         `port:"x" doc:"How far from the left."`
	Y       int         `port:"y" doc:"How far from the top."`
	Width   *int        `port:"width" doc:"How wide; null is as wide as it is, or as its height wants it."`
	Height  *int        `port:"height" doc:"How high."`
	StartMs float64     `port:"start_ms" doc:"From when on."`
	EndMs   float64     `port:"end_ms" doc:"Until when; 0 is the end."`
	Opacity float64     `port:"opacity" doc:"From 0 to 1."`
}

// step returns the overlay step for a picture with the given facts.
func (o overlayRecord) step(f media.Facts) (media.Step, error) {
	w, h := f.Width, f.Height
	if o.Width != nil || o.Height != nil {
		var err error
		if w, h, err = size(o.Width, o.Height, f); err != nil {
			return media.Step{}, err
		}
	}
	return media.Step{Op: "overlay", Numbers: map[string]float64{
		"x": float64(o.X), "y": float64(o.Y), "width": float64(max(2, w)), "height": float64(max(2, h)),
		"start": o.StartMs / 1000, "end": o.EndMs / 1000, "opacity": o.Opacity,
	}}, nil
}

type overlayIn struct {
	Source  value.Media `port:"source,deferred" media:"image|video" doc:"The picture or video to put over another one."`
	X       int         `port:"x" default:"0" doc:"How far from the left, in pixels."`
	Y       int         `port:"y" default:"0" doc:"How far from the top."`
	StartMs float64     `port:"start_ms" default:"0" doc:"From when on it is seen."`
	EndMs   float64     `port:"end_ms" default:"0" doc:"Until when; 0 is the end."`
	Opacity float64     `port:"opacity" default:"1" doc:"From 0, not to be seen, to 1."`
	Width   *int        `port:"width,optional" doc:"How wide it gets; without it as it is, or as the height wants it."`
	Height  *int        `port:"height,optional" doc:"How high it gets."`
}

type overlayOut struct {
	Overlay overlayRecord `port:"overlay" doc:"For media.video_compose."`
}

func (c *core) videoOverlay() node.Node {
	return deferring(c, "media.video_overlay", "Overlay", "overlay", func(w work, in overlayIn) (overlayOut, error) {
		r, err := w.recipe(in.Source)
		if err != nil {
			return overlayOut{}, err
		}
		m, _, err := w.give(r)
		return overlayOut{overlayRecord{m, in.X, in.Y, in.Width, in.Height, in.StartMs, in.EndMs, in.Opacity}}, err
	}).Aliases("picture in picture, layer", "bild im bild, ebene").Doc(
		"Says where and when a picture or video is put over another one, by `media.video_compose`.\n\nExample: `x` = `20`, `y` = `20`, `width` = `320`.")
}

type composeIn struct {
	BaseVideo value.Media     `port:"base_video,deferred" media:"video" doc:"The video that everything is put over."`
	Overlays  []overlayRecord `port:"overlays,deferred" doc:"What is put over it, from media.video_overlay: the last one is on top."`
	MixSound  bool            `port:"mix_sound" default:"false" doc:"Whether the sound of videos put over it is heard, too."`
}

func (c *core) videoCompose() node.Node {
	return deferring(c, "media.video_compose", "Compose video", "video", composeVideo).
		Aliases("picture in picture, layers, overlay", "bild im bild, ebenen, zusammensetzen").Example(map[string]any{"overlays": []any{map[string]any{
		"source": map[string]any{"kind": "image", "mime": "image/png", "path": "picture.png"}, "x": 20, "y": 20, "width": 320, "start_ms": 0, "end_ms": 2000, "opacity": 0.9,
	}}}).Doc(
		"Puts pictures and videos over a video. One without an end stays to the end: a video with its last frame.\n\nExample: wire `media.video_overlay` into `overlays`.")
}

func composeVideo(w work, in composeIn) (timedOut, error) {
	r, err := w.recipe(in.BaseVideo)
	for i := 0; err == nil && i < len(in.Overlays); i++ {
		r, err = w.lay(r, in.Overlays[i], in.MixSound)
	}
	if err != nil {
		return timedOut{}, err
	}
	return timed(w.give(r))
}

// lay puts one overlay onto a video.
func (w work) lay(base media.Recipe, o overlayRecord, sound bool) (media.Recipe, error) {
	over, err := w.recipe(o.Source)
	if err != nil {
		return base, err
	}
	s, err := o.step(over.Facts)
	if err != nil {
		return base, err
	}
	s.Node = w.path()
	made, err := media.Then(s, base, over)
	if err != nil || !sound || !over.Facts.Sound {
		return made, err
	}
	voice, err := media.Then(media.Step{Op: "extract", Node: w.path()}, over)
	if err != nil {
		return made, err
	}
	return media.Then(media.Step{
		Op: "sound", Node: w.path(), Numbers: map[string]float64{"volume": 1, "offset": o.StartMs / 1000},
		Words: map[string]string{"mode": "mix", "loop": "no", "duck": "no"},
	}, made, voice)
}

type marking struct {
	Mark     value.Media `port:"mark,deferred" media:"image" doc:"The picture that is put over it."`
	Position string      `port:"position" enum:"top_left|top|top_right|left|center|right|bottom_left|bottom|bottom_right" default:"bottom_right" doc:"Where."`
	Margin   int         `port:"margin" default:"24" doc:"How many pixels from the edge."`
	Width    *int        `port:"width,optional" doc:"How wide it gets; without it as it is."`
	Opacity  float64     `port:"opacity" default:"1" doc:"From 0, not to be seen, to 1."`
}

func (w work) mark(on value.Media, in marking) (value.Media, error) {
	base, err := w.recipe(on)
	if err != nil {
		return value.Media{}, err
	}
	mark, err := w.recipe(in.Mark)
	if err != nil {
		return value.Media{}, err
	}
	s, err := overlayRecord{Width: in.Width, Opacity: in.Opacity}.step(mark.Facts)
	if err != nil {
		return value.Media{}, err
	}
	x, y := media.Position(in.Position, base.Facts, int(s.Numbers["width"]), int(s.Numbers["height"]), in.Margin)
	s.Numbers["x"], s.Numbers["y"] = float64(x), float64(y)
	m, _, err := w.thenAll(s, []media.Recipe{base, mark})
	return m, err
}

type watermarkIn struct {
	Video value.Media `port:"video,deferred" media:"video" doc:"The video."`
	marking
}

func (c *core) videoWatermark() node.Node {
	return deferring(c, "media.video_watermark", "Watermark", "video", func(w work, in watermarkIn) (videoOut, error) {
		m, err := w.mark(in.Video, in.marking)
		return videoOut{m}, err
	}).Aliases("logo, brand, stamp", "wasserzeichen, logo").Doc("Puts a picture, such as a logo, over a video.\n\nExample: `position` = `bottom_right`, `opacity` = `0.5`.")
}
