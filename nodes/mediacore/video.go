package mediacore

import (
	"math"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type videoOut struct {
	Video value.Media `port:"video" media:"video" doc:"The video."`
}

type timedOut struct {
	Video      value.Media `port:"video" media:"video" doc:"The video."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
}

type sizedOut struct {
	Video  value.Media `port:"video" media:"video" doc:"The video."`
	Width  int         `port:"width" doc:"Its width in pixels."`
	Height int         `port:"height" doc:"Its height in pixels."`
}

func timed(m value.Media, f media.Facts, err error) (timedOut, error) {
	return timedOut{m, ms(f.Duration)}, err
}

func sized(m value.Media, f media.Facts, err error) (sizedOut, error) {
	return sizedOut{m, f.Width, f.Height}, err
}

type trimIn struct {
	Video   value.Media `port:"video,deferred" media:"video" doc:"The video."`
	StartMs float64     `port:"start_ms" default:"0" doc:"Where to begin, in milliseconds."`
	EndMs   float64     `port:"end_ms" default:"0" doc:"Where to end; 0 is the end."`
}

func trimStep(start, end float64) media.Step {
	return media.Step{Op: "trim", Numbers: map[string]float64{"start": start / 1000, "end": end / 1000}}
}

func (c *core) videoTrim() node.Node {
	return deferring(c, "media.video_trim", "Trim video", "video", func(w work, in trimIn) (timedOut, error) {
		return timed(w.then(trimStep(in.StartMs, in.EndMs), in.Video))
	}).Aliases("cut, clip, shorten", "schneiden, kürzen, ausschnitt").Doc(
		"Keeps a part of a video, to the frame, with its sound.\n\nExample: `start_ms` = `2000`, `end_ms` = `18000` keeps 16 seconds.")
}

type resizeIn struct {
	Video      value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Width      *int        `port:"width,optional" doc:"The new width in pixels; without it the height decides, and the shape stays."`
	Height     *int        `port:"height,optional" doc:"The new height in pixels; without it the width decides."`
	Fit        string      `port:"fit" enum:"contain|cover|stretch" default:"contain" doc:"If the shape is another one: contain puts bars around it, cover cuts off what is outside, stretch distorts."`
	Background string      `port:"background" default:"#000000" widget:"color" doc:"The colour of the bars."`
}

// size completes a size of which one side may be missing, keeping the aspect ratio of the
// picture.
func size(width, height *int, f media.Facts) (w, h int, err error) {
	even := func(x float64) int { return max(2, 2*int(math.Round(x/2))) }
	w, h = orZero(width), orZero(height)
	switch {
	case w < 0 || h < 0:
		return 0, 0, node.Errorf(node.CodeInvalidInput, "a width and a height are more than 0")
	case w == 0 && h == 0:
		return 0, 0, node.Errorf(node.CodeInvalidInput, "give a width, a height, or both")
	case w == 0:
		w = even(float64(h) * float64(f.Width) / float64(f.Height))
	case h == 0:
		h = even(float64(w) * float64(f.Height) / float64(f.Width))
	}
	return w, h, nil
}

func (w work) resize(in value.Media, width, height *int, fit, background string) (value.Media, media.Facts, error) {
	r, err := w.recipe(in)
	if err != nil {
		return value.Media{}, media.Facts{}, err
	}
	across, down, err := size(width, height, r.Facts)
	if err != nil {
		return value.Media{}, media.Facts{}, err
	}
	return w.thenAll(media.Step{
		Op: "resize", Numbers: map[string]float64{"width": float64(across), "height": float64(down)},
		Words: map[string]string{"fit": fit, "background": background},
	}, []media.Recipe{r})
}

func (c *core) videoResize() node.Node {
	return deferring(c, "media.video_resize", "Resize video", "video", func(w work, in resizeIn) (sizedOut, error) {
		return sized(w.resize(in.Video, in.Width, in.Height, in.Fit, in.Background))
	}).Aliases("scale, size, smaller, 720p", "größe, skalieren, verkleinern").Example(map[string]any{"width": 640}).Doc(
		"Makes the picture of a video bigger or smaller.\n\nExample: `width` = `640` makes 640 × 360 of 1280 × 720.")
}

type cropIn struct {
	Video  value.Media `port:"video,deferred" media:"video" doc:"The video."`
	X      int         `port:"x" default:"0" doc:"How many pixels to leave out on the left."`
	Y      int         `port:"y" default:"0" doc:"How many pixels to leave out at the top."`
	Width  int         `port:"width" doc:"The width of the part to keep."`
	Height int         `port:"height" doc:"The height of the part to keep."`
}

func cropStep(x, y, width, height int) media.Step {
	return media.Step{Op: "crop", Numbers: map[string]float64{"x": float64(x), "y": float64(y), "width": float64(width), "height": float64(height)}}
}

func (c *core) videoCrop() node.Node {
	return deferring(c, "media.video_crop", "Crop video", "video", func(w work, in cropIn) (sizedOut, error) {
		return sized(w.then(cropStep(in.X, in.Y, in.Width, in.Height), in.Video))
	}).Aliases("cut out, region", "zuschneiden, ausschnitt").Example(map[string]any{"width": 640, "height": 480}).Doc(
		"Keeps a part of the picture of a video.\n\nExample: `x` = `160`, `width` = `960`, `height` = `720` keeps the middle of 1280 × 720.")
}
