package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type kenBurnsIn struct {
	Image      value.Media `port:"image,deferred" media:"image" doc:"The picture."`
	DurationMs float64     `port:"duration_ms" default:"2000" doc:"How long the video is."`
	FPS        float64     `port:"fps" default:"24" doc:"Its frames a second."`
	ZoomStart  float64     `port:"zoom_start" default:"1" doc:"How near the picture is at the beginning, from 1, where all of it is seen that fits, to 20."`
	ZoomEnd    float64     `port:"zoom_end" default:"1.15" doc:"How near it is at the end."`
	PanX       string      `port:"pan_x" enum:"center|left_to_right|right_to_left" default:"center" doc:"How the view goes along it."`
	PanY       string      `port:"pan_y" enum:"center|top_to_bottom|bottom_to_top" default:"center" doc:"How the view goes up or down."`
	Width      int         `port:"width" default:"720" doc:"The width of the video."`
	Height     int         `port:"height" default:"1280" doc:"Its height."`
}

func (c *core) kenBurns() node.Node {
	return deferring(c, "media.ken_burns", "Move over picture", "video", func(w work, in kenBurnsIn) (timedOut, error) {
		r, err := rateOf(in.FPS)
		if err != nil {
			return timedOut{}, err
		}
		return timed(w.then(media.Step{
			Op: "move", Words: map[string]string{"x": in.PanX, "y": in.PanY},
			Numbers: map[string]float64{
				"duration": in.DurationMs / 1000, "num": float64(r.Num), "den": float64(r.Den), "width": float64(in.Width), "height": float64(in.Height),
				"from": in.ZoomStart, "to": in.ZoomEnd,
			},
		}, in.Image))
	}).Converts(value.MediaOf("image"), value.MediaOf("video")).Aliases("zoom, pan, camera move, slideshow", "zoomen, schwenken, kamerafahrt").Doc(
		"Makes a video of a picture by moving over it, evenly and by fractions of pixels.\n\nExample: `zoom_end` = `1.3`, `pan_x` = `left_to_right`.")
}

type sheetIn struct {
	Video   value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Columns int         `port:"columns" default:"4" doc:"How many pictures side by side, up to 20."`
	Rows    int         `port:"rows" default:"4" doc:"How many below each other, up to 20."`
	Width   int         `port:"width" default:"320" doc:"How wide each is."`
}

func (c *core) contactSheet() node.Node {
	return rendering(c, "media.contact_sheet", "Contact sheet", func(w work, in sheetIn) (imageOut, error) {
		m, _, err := w.then(media.Step{
			Op: "sheet", Numbers: map[string]float64{"columns": float64(in.Columns), "rows": float64(in.Rows), "width": float64(in.Width)},
		}, in.Video)
		return imageOut{m}, err
	}).Aliases("overview, storyboard, grid of frames", "übersicht, bilderbogen").Doc(
		"Makes one picture of frames from all over a video.\n\nExample: `columns` = `5`, `rows` = `3`.")
}

type waveIn struct {
	Source value.Media `port:"source,deferred" media:"audio|video" doc:"A sound, or a video."`
	Width  int         `port:"width" default:"1200" doc:"The width of the picture."`
	Height int         `port:"height" default:"240" doc:"Its height."`
	Color  string      `port:"color" default:"#4C8DFF" widget:"color" doc:"The colour of the wave."`
	Style  string      `port:"style" enum:"wave|spectrum" default:"wave" doc:"How loud it is over time, or which tones there are."`
}

func (c *core) waveform() node.Node {
	return rendering(c, "media.audio_waveform", "Waveform", func(w work, in waveIn) (imageOut, error) {
		m, _, err := w.then(media.Step{
			Op: "wave", Numbers: map[string]float64{"width": float64(in.Width), "height": float64(in.Height)},
			Words: map[string]string{"color": in.Color, "style": in.Style},
		}, in.Source)
		return imageOut{m}, err
	}).Aliases("spectrum, sound picture, visualize", "wellenform, spektrum").Doc("Draws a sound.\n\nExample: `style` = `spectrum`.")
}
