package mediacore

import (
	"math"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

type audioOut struct {
	Audio      value.Media `port:"audio" media:"audio" doc:"The sound."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
}

func heard(m value.Media, f media.Facts, err error) (audioOut, error) {
	return audioOut{m, ms(f.Duration)}, err
}

type audioImportOut struct {
	Audio      value.Media    `port:"audio" media:"audio" doc:"The sound."`
	DurationMs float64        `port:"duration_ms" doc:"How long it is, in milliseconds."`
	SampleRate int            `port:"sample_rate" doc:"Samples a second."`
	Channels   int            `port:"channels" doc:"1 is mono, 2 stereo."`
	Tags       map[string]any `port:"tags" doc:"What the file tells of itself, such as its title."`
}

func (c *core) audioImport() node.Node {
	return deferring(c, "media.audio_import", "Import sound", "audio", func(w work, in importIn) (audioImportOut, error) {
		r, err := w.load(in, "audio")
		if err != nil {
			return audioImportOut{}, err
		}
		tags := map[string]any{}
		for name, text := range w.Tags(r.Sources[0]) {
			tags[name] = text
		}
		m, f, err := w.give(r)
		return audioImportOut{m, ms(f.Duration), f.Samples, f.Channels, tags}, err
	}).Aliases("load audio, mp3, wav, music", "ton laden, musik, audio").Example(map[string]any{"path": "song.mp3"}).Doc(
		"Takes a sound from a file, or from the web.\n\nExample: `path` = `song.mp3`.")
}

type extractIn struct {
	Video  value.Media `port:"video,deferred" media:"video" doc:"The video."`
	Stream int         `port:"stream" default:"0" doc:"Which of its sounds, if it has several."`
}

type extractOut struct {
	Audio      value.Media `port:"audio" media:"audio" doc:"The sound."`
	SampleRate int         `port:"sample_rate" doc:"Samples a second."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
}

func (c *core) audioExtract() node.Node {
	return deferring(c, "media.audio_extract", "Extract sound", "audio", func(w work, in extractIn) (extractOut, error) {
		r, err := w.recipe(in.Video)
		if err != nil {
			return extractOut{}, err
		}
		if in.Stream != 0 {
			if len(r.Steps) > 0 || in.Stream < 0 {
				return extractOut{}, node.Errorf(node.CodeInvalidInput, "another sound than the first can be taken from a file only; put this node behind media.video_import")
			}
			if r, err = w.Other(w.ctx, r, in.Stream); err != nil {
				return extractOut{}, err
			}
		}
		m, f, err := w.thenAll(media.Step{Op: "extract"}, []media.Recipe{r})
		return extractOut{m, f.Samples, ms(f.Duration)}, err
	}).Converts(value.MediaOf("video"), value.MediaOf("audio")).Aliases("audio from video, sound track", "ton aus video, tonspur").Doc(
		"Takes the sound out of a video.\n\nExample: `stream` = `1` takes the second one, such as another language.")
}

type videoSoundIn struct {
	Video    value.Media  `port:"video,deferred" media:"video" doc:"The video."`
	Audio    *value.Media `port:"audio,optional,deferred" media:"audio" doc:"The sound; without one the video becomes silent."`
	Mode     string       `port:"mode" enum:"replace|mix" default:"replace" doc:"Instead of the old sound, or together with it."`
	Volume   float64      `port:"volume" default:"1" doc:"From 0 to 4; 1 leaves it."`
	OffsetMs float64      `port:"offset_ms" default:"0" doc:"When it begins; less than 0 leaves its beginning out."`
	Loop     bool         `port:"loop" default:"false" doc:"Repeats it to the end of the video."`
	Duck     bool         `port:"duck" default:"false" doc:"With mix: makes the old sound quieter while the new one is heard."`
	Timing   *timing      `port:"timing,optional" doc:"By how much it is moved, from media.timing_controller."`
}

func (c *core) videoSound() node.Node {
	return deferring(c, "media.video_sound", "Set sound", "video", func(w work, in videoSoundIn) (videoOut, error) {
		if in.Audio == nil {
			m, _, err := w.then(media.Step{Op: "mute"}, in.Video)
			return videoOut{m}, err
		}
		m, _, err := w.then(media.Step{
			Op: "sound", Numbers: map[string]float64{"volume": in.Volume, "offset": in.OffsetMs/1000 + in.Timing.offset()},
			Words: map[string]string{"mode": in.Mode, "loop": yes(in.Loop), "duck": yes(in.Duck)},
		}, in.Video, *in.Audio)
		return videoOut{m}, err
	}).Aliases("mute, music, voice over, replace audio", "stumm, musik, ton ersetzen, vertonen").Doc(
		"Gives a video another sound, adds one, or makes it silent. The picture stays as it is, and is not encoded again unless something else changes it.\n\n" +
			"Example: `mode` = `mix`, `duck` = `true` for a voice over music.")
}

type audioTrimIn struct {
	Audio   value.Media `port:"audio,deferred" media:"audio" doc:"The sound."`
	StartMs float64     `port:"start_ms" default:"0" doc:"Where to begin, in milliseconds."`
	EndMs   float64     `port:"end_ms" default:"0" doc:"Where to end; 0 is the end."`
}

func (c *core) audioTrim() node.Node {
	return deferring(c, "media.audio_trim", "Trim sound", "audio", func(w work, in audioTrimIn) (audioOut, error) {
		return heard(w.then(trimStep(in.StartMs, in.EndMs), in.Audio))
	}).Aliases("cut audio, shorten", "ton schneiden, kürzen").Doc("Keeps a part of a sound.\n\nExample: `start_ms` = `500`, `end_ms` = `2500`.")
}

type audioAdjustIn struct {
	Audio      value.Media `port:"audio,deferred" media:"audio" doc:"The sound."`
	GainDB     float64     `port:"gain_db" default:"0" doc:"How much louder, from -60 to 40 dB."`
	FadeInMs   float64     `port:"fade_in_ms" default:"0" doc:"How long it takes to come up."`
	FadeOutMs  float64     `port:"fade_out_ms" default:"0" doc:"How long it takes to go away."`
	Speed      float64     `port:"speed" default:"1" doc:"From 0.1 to 20; the pitch stays."`
	HighPassHz int         `port:"high_pass_hz" default:"0" doc:"Takes away what is deeper, such as rumbling; 0 is nothing."`
	Denoise    float64     `port:"denoise" default:"0" doc:"Takes noise away, up to 97 dB; 12 is much."`
}

func (c *core) audioAdjust() node.Node {
	return deferring(c, "media.audio_adjust", "Adjust sound", "audio", func(w work, in audioAdjustIn) (audioOut, error) {
		r, err := w.recipe(in.Audio)
		for _, s := range []media.Step{
			{Op: "level", Numbers: map[string]float64{"gain": in.GainDB, "high_pass": float64(in.HighPassHz), "denoise": in.Denoise}},
			speedStep(in.Speed, true),
			{
				Op: "fade", Numbers: map[string]float64{"in": in.FadeInMs / 1000, "out": in.FadeOutMs / 1000},
				Words: map[string]string{"color": "#000000", "sound": "yes"},
			},
		} {
			if err == nil {
				s.Node = w.path()
				r, err = media.Then(s, r)
			}
		}
		if err != nil {
			return audioOut{}, err
		}
		return heard(w.give(r))
	}).Aliases("volume, louder, gain, noise", "lautstärke, lauter, rauschen").Doc("Changes how loud, fast and clean a sound is.\n\nExample: `gain_db` = `6`, `fade_out_ms` = `1000`.")
}

type mixIn struct {
	AudioTracks []value.Media `port:"audio_tracks,deferred" media:"audio" doc:"The sounds."`
	Volumes     []float64     `port:"volumes" default:"[]" doc:"One for each, from 0 to 4; those that are missing are 1."`
	OffsetsMs   []float64     `port:"offsets_ms" default:"[]" doc:"When each begins."`
	Length      string        `port:"length" enum:"longest|shortest|first" default:"longest" doc:"How long the mix is."`
}

func (c *core) audioMix() node.Node {
	return deferring(c, "media.audio_mix", "Mix sounds", "audio", func(w work, in mixIn) (audioOut, error) {
		all, err := w.recipes(in.AudioTracks)
		if err != nil {
			return audioOut{}, err
		}
		s := media.Step{Op: "mix", Words: map[string]string{"length": in.Length}}
		for i := range all {
			volume, offset := 1.0, 0.0
			if i < len(in.Volumes) {
				volume = in.Volumes[i]
			}
			if i < len(in.OffsetsMs) {
				offset = in.OffsetsMs[i] / 1000
			}
			if volume < 0 || volume > 4 || offset < 0 {
				return audioOut{}, node.Errorf(node.CodeInvalidInput, "a volume is from 0 to 4, and no track begins before the first moment")
			}
			s.Spans = append(s.Spans, media.Span{Start: offset, End: offset + volume})
		}
		return heard(w.thenAll(s, all))
	}).Aliases("combine audio, music bed", "ton mischen, zusammenmischen").Doc(
		"Lets several sounds be heard at once. None gets quieter because there are more; peaks are caught by a limiter.\n\nExample: `volumes` = `[1, 0.3]`.")
}

type concatIn struct {
	AudioTracks []value.Media `port:"audio_tracks,deferred" media:"audio" doc:"The sounds, in their order."`
	GapMs       float64       `port:"gap_ms" default:"0" doc:"How long it is silent between them."`
	CrossfadeMs float64       `port:"crossfade_ms" default:"0" doc:"How long one goes over into the next."`
}

func (c *core) audioConcat() node.Node {
	return deferring(c, "media.audio_concat", "Join sounds", "audio", func(w work, in concatIn) (audioOut, error) {
		all, err := w.recipes(in.AudioTracks)
		if err != nil {
			return audioOut{}, err
		}
		if in.GapMs > 0 && in.CrossfadeMs > 0 {
			return audioOut{}, node.Errorf(node.CodeInvalidInput, "give a gap or a crossfade, not both")
		}
		return heard(w.thenAll(media.Step{Op: "concat", Numbers: map[string]float64{"gap": in.GapMs / 1000, "crossfade": in.CrossfadeMs / 1000}}, all))
	}).Aliases("append audio, sequence", "ton aneinanderhängen").Doc("Plays sounds one after the other.\n\nExample: `gap_ms` = `500`.")
}

type normalizeIn struct {
	Source     value.Media `port:"source,deferred" media:"audio|video" doc:"A sound, or a video."`
	TargetLUFS float64     `port:"target_lufs" default:"-16" doc:"How loud it gets: -16 for podcasts, -14 for music on the web, -23 for television."`
	PeakDB     float64     `port:"peak_db" default:"-1.5" doc:"How loud a peak may be. It comes first: what has high peaks may stay quieter than target_lufs."`
}

type normalizeOut struct {
	Media        value.Media `port:"media" doc:"The same with another loudness."`
	MeasuredLUFS float64     `port:"measured_lufs" doc:"How loud it was."`
}

func (c *core) audioNormalize() node.Node {
	return deferring(c, "media.audio_normalize", "Normalize loudness", "media", func(w work, in normalizeIn) (normalizeOut, error) {
		r, err := w.recipe(in.Source)
		if err != nil {
			return normalizeOut{}, err
		}
		l, err := w.Loudness(w.ctx, &r, in.TargetLUFS, in.PeakDB)
		if err != nil {
			return normalizeOut{}, err
		}
		m, _, err := w.thenAll(media.Step{Op: "normalize", Numbers: map[string]float64{
			"target": in.TargetLUFS, "peak": in.PeakDB, "measured": l.Integrated, "measured_peak": l.Peak, "range": l.Range, "threshold": l.Threshold, "offset": l.Offset,
		}}, []media.Recipe{r})
		return normalizeOut{m, math.Round(l.Integrated*100) / 100}, err
	}).Aliases("loudness, lufs, volume, podcast", "lautheit, pegel, angleichen").Doc(
		"Makes a sound, or that of a video, as loud as others. It is measured first, which takes a moment.\n\nExample: `target_lufs` = `-16`.")
}

type audioEncodeIn struct {
	Audio      value.Media    `port:"audio,deferred" media:"audio" doc:"The sound."`
	OutputPath string         `port:"output_path" default:"" widget:"file" doc:"The file. Empty: one that is kept with the run."`
	Format     string         `port:"format" enum:"wav|mp3|aac|opus|flac|ogg|auto" default:"auto" doc:"auto goes by the ending of the file, else it is mp3."`
	Bitrate    int            `port:"bitrate" default:"192000" doc:"Bits a second, where the format has such a number."`
	SampleRate *int           `port:"sample_rate,optional" doc:"Samples a second; without it as it is."`
	Channels   *int           `port:"channels,optional" doc:"1 is mono, 2 stereo; without it as it is."`
	Tags       map[string]any `port:"tags,optional" doc:"What the file tells of itself: title, artist, album …"`
}

type audioEncodeOut struct {
	FilePath   string      `port:"file_path" doc:"The file, as the file nodes take it."`
	SizeBytes  int         `port:"size_bytes" doc:"How big it is."`
	DurationMs float64     `port:"duration_ms" doc:"How long it is, in milliseconds."`
	Audio      value.Media `port:"audio" media:"audio" doc:"The sound in the file."`
}

func (c *core) audioEncode() node.Node {
	return rendering(c, "media.audio_encode", "Encode sound", func(w work, in audioEncodeIn) (audioEncodeOut, error) {
		r, err := w.recipe(in.Audio)
		if err != nil {
			return audioEncodeOut{}, err
		}
		to, err := in.target()
		if err != nil {
			return audioEncodeOut{}, err
		}
		name, err := w.Place(w.ctx, in.OutputPath, to.Format)
		if err != nil {
			return audioEncodeOut{}, err
		}
		made, err := w.Render(w.ctx, &r, to, name)
		return audioEncodeOut{made.Path, int(made.Size), ms(made.Facts.Duration), made.Media}, err
	}).Aliases("export audio, save sound, mp3, wav", "ton speichern, exportieren").Doc("Writes a sound into a file.\n\nExample: `output_path` = `voice.mp3`.")
}

func (in *audioEncodeIn) target() (media.Target, error) {
	t := media.Target{Format: in.Format, SoundBits: in.Bitrate, Samples: orZero(in.SampleRate), Channels: orZero(in.Channels), Tags: map[string]string{}}
	if in.Format == "auto" {
		t.Format = "mp3"
		if in.OutputPath != "" {
			t.Format = media.FormatOf(in.OutputPath, "audio")
		}
	}
	switch {
	case t.Format == "":
		return t, node.Errorf(node.CodeInvalidInput, "output_path has to end with .wav, .mp3, .m4a, .aac, .flac, .ogg or .opus, which says the format")
	case in.Bitrate < 8000 || in.Bitrate > 1_000_000:
		return t, node.Errorf(node.CodeInvalidInput, "bitrate is from 8000 to 1000000")
	case t.Samples < 0 || t.Samples > 192_000 || t.Channels < 0 || t.Channels > 8:
		return t, node.Errorf(node.CodeInvalidInput, "sample_rate is up to 192000, and channels are up to 8")
	}
	for name, v := range in.Tags {
		text, ok := v.(string)
		if !ok || !media.IsTag(name) || len(text) > 4096 {
			return t, node.Errorf(node.CodeInvalidInput, "tags are texts with names of letters, digits and _")
		}
		t.Tags[name] = text
	}
	return t, nil
}
