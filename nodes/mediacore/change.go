package mediacore

import (
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type adjustments struct {
	Brightness float64 `port:"brightness" default:"0" doc:"From -1 to 1; 0 leaves it."`
	Contrast   float64 `port:"contrast" default:"1" doc:"From 0 to 4; 1 leaves it."`
	Saturation float64 `port:"saturation" default:"1" doc:"How strong colours are, from 0 to 3; 1 leaves them."`
	Gamma      float64 `port:"gamma" default:"1" doc:"From 0.1 to 10; more makes dark parts brighter."`
	Sharpen    float64 `port:"sharpen" default:"0" doc:"From 0 to 5."`
	Blur       float64 `port:"blur" default:"0" doc:"From 0 to 100 pixels."`
	Grayscale  bool    `port:"grayscale" default:"false" doc:"Takes the colours away."`
}

func (a adjustments) step(denoise float64) media.Step {
	return media.Step{
		Op: "adjust", Words: map[string]string{"grayscale": yes(a.Grayscale)},
		Numbers: map[string]float64{
			"brightness": a.Brightness, "contrast": a.Contrast, "saturation": a.Saturation, "gamma": a.Gamma,
			"sharpen": a.Sharpen, "blur": a.Blur, "denoise": denoise,
		},
	}
}

type adjustIn struct {
	Video value.Media `port:"video,deferred" media:"video" doc:"The video."`
	adjustments
	Denoise float64 `port:"denoise" default:"0" doc:"From 0 to 20; takes grain away."`
}

func (c *core) videoAdjust() node.Node {
	return deferring(c, "media.video_adjust", "Adjust video", "video", func(w work, in adjustIn) (videoOut, error) {
		m, _, err := w.then(in.step(in.Denoise), in.Video)
		return videoOut{m}, err
	}).Aliases("brightness, contrast, colour, filter, blur, sharpen", "helligkeit, kontrast, farbe, filter").Doc(
		"Changes brightness, contrast and colours of a video.\n\nExample: `contrast` = `1.2`, `saturation` = `1.1`.")
}

type fadeIn struct {
	Video value.Media `port:"video,deferred" media:"video" doc:"The video."`
	InMs  float64     `port:"in_ms" default:"0" doc:"How long it takes to come up at the beginning."`
	OutMs float64     `port:"out_ms" default:"0" doc:"How long it takes to go away at the end."`
	Color string      `port:"color" default:"#000000" widget:"color" doc:"Where it comes from and goes to."`
	Sound bool        `port:"sound" default:"true" doc:"Whether the sound fades with it."`
}

func (c *core) videoFade() node.Node {
	return deferring(c, "media.video_fade", "Fade video", "video", func(w work, in fadeIn) (videoOut, error) {
		m, _, err := w.then(media.Step{
			Op: "fade", Numbers: map[string]float64{"in": in.InMs / 1000, "out": in.OutMs / 1000},
			Words: map[string]string{"color": in.Color, "sound": yes(in.Sound)},
		}, in.Video)
		return videoOut{m}, err
	}).Aliases("fade in, fade out, black", "einblenden, ausblenden").Doc(
		"Lets a video come up at the beginning and go away at the end.\n\nExample: `in_ms` = `500`, `out_ms` = `1000`.")
}

type rotateIn struct {
	Video value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Turn  string      `port:"turn" enum:"0|90|180|270" default:"90" doc:"By how many degrees, clockwise."`
	Flip  string      `port:"flip" enum:"none|horizontal|vertical" default:"none" doc:"Whether to mirror it after that."`
}

func rotateStep(turn, flip string) media.Step {
	return media.Step{Op: "rotate", Words: map[string]string{"turn": turn, "flip": flip}}
}

func (c *core) videoRotate() node.Node {
	return deferring(c, "media.video_rotate", "Rotate video", "video", func(w work, in rotateIn) (sizedOut, error) {
		return sized(w.then(rotateStep(in.Turn, in.Flip), in.Video))
	}).Aliases("turn, mirror, flip", "drehen, spiegeln").Doc("Turns a video, and mirrors it.\n\nExample: `turn` = `90`.")
}

type speedIn struct {
	Video     value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Speed     float64     `port:"speed" doc:"From 0.1 to 20; 2 is twice as fast."`
	KeepPitch bool        `port:"keep_pitch" default:"true" doc:"Whether voices keep their height."`
}

func (c *core) videoSpeed() node.Node {
	return deferring(c, "media.video_speed", "Change speed", "video", func(w work, in speedIn) (timedOut, error) {
		return timed(w.then(speedStep(in.Speed, in.KeepPitch), in.Video))
	}).Aliases("slow motion, time lapse, faster", "zeitlupe, zeitraffer, schneller").Example(map[string]any{"speed": 2}).Doc(
		"Plays a video faster or slower, with its sound.\n\nExample: `speed` = `0.5` takes twice as long.")
}

func speedStep(speed float64, keepPitch bool) media.Step {
	pitch := "move"
	if keepPitch {
		pitch = "keep"
	}
	return media.Step{Op: "speed", Numbers: map[string]float64{"speed": speed}, Words: map[string]string{"pitch": pitch}}
}

type rateIn struct {
	Video  value.Media `port:"video,deferred" media:"video" doc:"The video."`
	FPS    float64     `port:"fps" doc:"Frames a second, from 0.1 to 240."`
	Smooth bool        `port:"smooth" default:"false" doc:"Makes frames in between, which takes long, instead of repeating some."`
}

type ratedOut struct {
	Video      value.Media `port:"video" media:"video" doc:"The video."`
	FrameCount int         `port:"frame_count" doc:"How many frames it has."`
}

func (c *core) videoRate() node.Node {
	return deferring(c, "media.video_rate", "Change frame rate", "video", func(w work, in rateIn) (ratedOut, error) {
		r, err := rateOf(in.FPS)
		if err != nil {
			return ratedOut{}, err
		}
		m, f, err := w.then(media.Step{
			Op: "rate", Numbers: map[string]float64{"num": float64(r.Num), "den": float64(r.Den)}, Words: map[string]string{"smooth": yes(in.Smooth)},
		}, in.Video)
		return ratedOut{m, f.Frames()}, err
	}).Aliases("fps, frames per second", "bildrate, bilder pro sekunde").Example(map[string]any{"fps": 25}).Doc(
		"Gives a video another number of frames a second; its speed stays.\n\nExample: `fps` = `25`.")
}

func rateOf(fps float64) (media.Rate, error) {
	if fps < 0.1 || fps > 240 {
		return media.Rate{}, node.Errorf(node.CodeInvalidInput, "a video has from 0.1 to 240 frames a second")
	}
	return media.RateOf(fps), nil
}

type blankIn struct {
	Width      int     `port:"width" default:"1280" doc:"Its width in pixels."`
	Height     int     `port:"height" default:"720" doc:"Its height in pixels."`
	DurationMs float64 `port:"duration_ms" default:"3000" doc:"How long it is."`
	FPS        float64 `port:"fps" default:"25" doc:"Frames a second."`
	Color      string  `port:"color" default:"#000000" widget:"color" doc:"Its colour."`
}

func (c *core) videoBlank() node.Node {
	return deferring(c, "media.video_blank", "Blank video", "video", func(w work, in blankIn) (videoOut, error) {
		r, err := rateOf(in.FPS)
		if err != nil {
			return videoOut{}, err
		}
		m, _, err := w.then(media.Step{
			Op: "blank", Words: map[string]string{"color": in.Color},
			Numbers: map[string]float64{
				"width": float64(in.Width), "height": float64(in.Height), "duration": in.DurationMs / 1000, "num": float64(r.Num), "den": float64(r.Den),
			},
		})
		return videoOut{m}, err
	}).Aliases("card, colour, placeholder", "leeres video, farbe, tafel").Doc(
		"Makes a silent video of one colour, for cards with text and for trying things out.\n\nExample: `color` = `navy`, `duration_ms` = `2000`.")
}
