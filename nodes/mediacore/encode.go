package mediacore

import (
	"slices"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type encodeIn struct {
	Video        value.Media  `port:"video,deferred" media:"video" doc:"The video."`
	Audio        *value.Media `port:"audio,optional,deferred" media:"audio" doc:"A sound instead of its own."`
	OutputPath   string       `port:"output_path" default:"" widget:"file" doc:"The file, of the format that its ending says: mp4, mov, mkv or webm. Empty: a file that is kept with the run."`
	Bitrate      string       `port:"bitrate" enum:"low|medium|high|auto" default:"high" doc:"1, 4 or 8 Mbit a second; auto goes by quality."`
	Codec        string       `port:"codec" enum:"h264|hevc|av1|vp9|copy|auto" default:"h264" doc:"How the picture is encoded; copy and auto leave it as it is where nothing has changed it."`
	Quality      int          `port:"quality" default:"23" doc:"With bitrate auto: 0 is the best, 51 the worst."`
	Speed        string       `port:"speed" enum:"fast|medium|slow" default:"medium" doc:"Slow makes smaller files."`
	MaxWidth     *int         `port:"max_width,optional" doc:"Makes wider videos smaller."`
	AudioBitrate int          `port:"audio_bitrate" default:"160000" doc:"Of the sound, in bits a second."`
	Metadata     string       `port:"metadata" enum:"keep|strip" default:"keep" doc:"Whether to keep what the file tells of itself, such as its title."`
	Timing       *timing      `port:"timing,optional" doc:"By how much sound and subtitles are moved, from media.timing_controller."`

	Subtitles []media.Caption `port:"subtitles" default:"[]" doc:"Captions that players can show and hide."`
}

type timing struct {
	VideoDelayMs    float64 `port:"video_delay_ms" doc:"By how much the picture comes later."`
	AudioDelayMs    float64 `port:"audio_delay_ms" doc:"By how much the sound comes later."`
	CaptionOffsetMs float64 `port:"caption_offset_ms" doc:"By how much captions come later."`
}

// offset returns the delay of the sound, in seconds.
func (t *timing) offset() float64 {
	if t == nil {
		return 0
	}
	return (t.AudioDelayMs - t.VideoDelayMs) / 1000
}

// captions returns the delay of the captions, in milliseconds.
func (t *timing) captions() float64 {
	if t == nil {
		return 0
	}
	return t.CaptionOffsetMs
}

type encodeOut struct {
	FilePath   string      `port:"file_path" doc:"The file, as the file nodes take it."`
	SizeBytes  int         `port:"size_bytes" doc:"How big it is."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
	Video      value.Media `port:"video" media:"video" doc:"The video in the file."`
}

func (c *core) videoEncode() node.Node {
	return rendering(c, "media.video_encode", "Encode video", encodeVideo).
		Aliases("export, save video, render, mp4, convert", "exportieren, video speichern, umwandeln").Example(map[string]any{"output_path": "out.mp4"}).Doc(
		"Writes a video into a file. All that the nodes in front of it do is done here, at once: a picture is decoded and encoded a single time. The sound stays " +
			"unless another one is wired in, and the picture is never cut to its length.\n\nExample: `output_path` = `out.mp4`, `bitrate` = `auto`.")
}

func encodeVideo(w work, in encodeIn) (encodeOut, error) {
	r, err := w.recipe(in.Video)
	if err == nil && (in.Audio != nil || in.Timing.offset() != 0 && r.Facts.Sound) {
		r, err = w.voiced(r, in)
	}
	if err == nil && in.MaxWidth != nil && *in.MaxWidth > 0 && r.Facts.Width > *in.MaxWidth {
		width, height, _ := size(in.MaxWidth, nil, r.Facts)
		r, err = media.Then(media.Step{
			Op: "resize", Node: w.path(), Numbers: map[string]float64{"width": float64(width), "height": float64(height)},
			Words: map[string]string{"fit": "stretch", "background": "#000000"},
		}, r)
	}
	if err != nil {
		return encodeOut{}, err
	}
	to, err := in.target()
	if err != nil {
		return encodeOut{}, err
	}
	if to.Captions, err = media.SpansOf(in.Subtitles, in.Timing.captions()); err != nil {
		return encodeOut{}, err
	}
	name, err := w.Place(w.ctx, in.OutputPath, to.Format)
	if err != nil {
		return encodeOut{}, err
	}
	made, err := w.Render(w.ctx, &r, to, name)
	return encodeOut{made.Path, int(made.Size), ms(made.Facts.Duration), made.Media}, err
}

// voiced replaces the sound of a video, or shifts its own.
func (w work) voiced(r media.Recipe, in encodeIn) (media.Recipe, error) {
	var sound media.Recipe
	var err error
	if in.Audio != nil {
		sound, err = w.recipe(*in.Audio)
	} else {
		sound, err = media.Then(media.Step{Op: "extract", Node: w.path()}, r)
	}
	if err != nil {
		return r, err
	}
	return media.Then(media.Step{
		Op: "sound", Node: w.path(), Numbers: map[string]float64{"volume": 1, "offset": in.Timing.offset()},
		Words: map[string]string{"mode": "replace", "loop": "no", "duck": "no"},
	}, r, sound)
}

func (in *encodeIn) target() (media.Target, error) {
	t := media.Target{
		Format: "mp4", Codec: in.Codec, Quality: in.Quality, Speed: in.Speed, SoundBits: in.AudioBitrate, Strip: in.Metadata == "strip",
		Bits: map[string]int{"low": 1_000_000, "medium": 4_000_000, "high": 8_000_000}[in.Bitrate],
	}
	if in.OutputPath != "" {
		if t.Format = media.FormatOf(in.OutputPath, "video"); t.Format == "" {
			return t, node.Errorf(node.CodeInvalidInput, "output_path has to end with .mp4, .mov, .mkv or .webm, which says the format")
		}
	}
	if t.Format == "webm" && slices.Contains([]string{"h264", "hevc"}, in.Codec) {
		t.Codec = "vp9" // the default codec of the format
	}
	switch {
	case in.Quality < 0 || in.Quality > 51:
		return t, node.Errorf(node.CodeInvalidInput, "quality is from 0 to 51")
	case in.AudioBitrate < 8000 || in.AudioBitrate > 1_000_000:
		return t, node.Errorf(node.CodeInvalidInput, "audio_bitrate is from 8000 to 1000000")
	case t.Format == "mov" && (strings.HasPrefix(in.Codec, "vp") || in.Codec == "av1"):
		return t, node.Errorf(node.CodeInvalidInput, "a .mov file holds h264 or hevc; write a .mkv or .mp4 file for %s", in.Codec)
	}
	return t, nil
}
