package media

import (
	"fmt"
	"math"
	"strings"
)

// joinOp has the operations that join clips, or make a clip without a source.
func joinOp(name string) (op, bool) {
	switch name {
	case "blank":
		return op{
			numbers: map[string]span{"width": {2, maxSide}, "height": {2, maxSide}, "duration": {0.001, maxSeconds}, "num": {1, 1e6}, "den": {1, 1e6}},
			words:   map[string]string{"color": "color"}, facts: blankFacts,
			picture: func(b *builder, s *Step, out Facts) stream {
				return stream{}.then(fmt.Sprintf("%s=c=%s:s=%dx%d:r=%s:d=%s", b.named("color", s), s.color("color"), out.Width, out.Height, out.Rate, micro(out.Duration)), "format=yuv420p")
			},
		}, true
	case "stitch":
		return op{
			inputs:  [2]int{1, maxSources},
			numbers: map[string]span{"width": {2, maxSide}, "height": {2, maxSide}, "num": {1, 1e6}, "den": {1, 1e6}, "overlap": {0, 60}},
			words:   map[string]string{"fit": "contain|cover|stretch", "background": "color", "transition": transitions},
			facts:   stitchFacts, picture: stitchPicture, sound: stitchSound,
		}, true
	case "concat":
		return op{
			inputs: [2]int{1, maxSources}, numbers: map[string]span{"gap": {0, 3600}, "crossfade": {0, 60}},
			facts: concatFacts, sound: concatSound,
		}, true
	case "still":
		return op{
			inputs: [2]int{1, 1}, numbers: map[string]span{"duration": {0.001, maxSeconds}, "num": {1, 1e6}, "den": {1, 1e6}},
			facts: stillFacts,
			picture: func(b *builder, s *Step, out Facts) stream {
				return b.picture(s.In[0]).then("settb=1/1000000", "setpts=0", b.named("tpad", s)+"=stop_mode=clone:stop=-1", "fps="+out.Rate.String(),
					fmt.Sprintf("trim=end_frame=%d", out.Frames()), "format=yuv420p")
			},
		}, true
	}
	return op{}, false
}

const transitions = "cut|fade|dissolve|black|wipe_left|wipe_right|wipe_up|wipe_down|slide_left|slide_right|circle"

// transitionOf returns ffmpeg's name of a transition.
func transitionOf(name string) string {
	switch name {
	case "black":
		return "fadeblack"
	case "circle":
		return "circleopen"
	}
	return strings.ReplaceAll(name, "_", "")
}

func blankFacts(s *Step, _ []Facts) (Facts, error) {
	f := Facts{Kind: "video", Width: s.int("width"), Height: s.int("height"), Rate: Rate{s.int("num"), s.int("den")}}
	return lasting(f, s.n("duration"))
}

// lasting returns f with a duration in whole frames.
func lasting(f Facts, duration float64) (Facts, error) {
	if f.Rate.Float() > maxRate || f.Rate.Float() < 0.01 {
		return f, refused("a video has from 0.1 to %d frames a second", maxRate)
	}
	f.Duration = f.at(max(1, f.frame(duration)))
	return f, f.check()
}

func stillFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind != "image" {
		return f, refused("only a picture can be made a video of")
	}
	f.Kind, f.Alpha, f.Rate = "video", false, Rate{s.int("num"), s.int("den")}
	return lasting(f, s.n("duration"))
}

// lengths returns how long each clip is at the rate of the result, in frames.
func lengths(in []Facts, out Facts) []int {
	frames := make([]int, len(in))
	for i := range in {
		frames[i] = max(1, int(math.Round(in[i].Duration*out.Rate.Float())))
	}
	return frames
}

func stitchFacts(s *Step, in []Facts) (Facts, error) {
	f := Facts{Kind: "video", Width: s.int("width"), Height: s.int("height"), Rate: Rate{s.int("num"), s.int("den")}}
	if f.Rate.Float() > maxRate {
		return f, refused("a video has from 0.1 to %d frames a second", maxRate)
	}
	total, overlap := 0, f.frame(s.n("overlap"))
	if s.Words["transition"] == "cut" {
		overlap = 0
	}
	for i, n := range lengths(in, f) {
		if in[i].Kind != "video" {
			return f, refused("clip %d is no video; media.image_sequence_to_video makes one of pictures", i+1)
		}
		if len(in) > 1 && overlap > 0 && n < 2*overlap {
			return f, refused("clip %d has %s ms; a transition of %s ms needs twice that", i+1, num(math.Round(in[i].Duration*1000)), num(s.n("overlap")*1000))
		}
		f.Sound = f.Sound || in[i].Sound
		f.Samples = max(f.Samples, in[i].Samples)
		total += n
	}
	if f.Sound {
		f.Samples, f.Channels = samples(f), 2
	}
	f.Duration = f.at(total - overlap*(len(in)-1))
	return f, f.check()
}

// stitchPicture brings every clip to the same size and rate, and to a whole number of frames,
// which keeps sound and picture in sync over many clips.
func stitchPicture(b *builder, s *Step, out Facts) stream {
	clips := make([]stream, len(s.In))
	in := b.inFacts(s)
	frames := lengths(in, out)
	for i := range s.In {
		clips[i] = b.picture(s.In[i]).then(fitted(b.named("scale", s), in[i], out, s.Words["fit"], s.color("background"))...).
			then("fps="+out.Rate.String()+":start_time=0", "tpad=stop_mode=clone:stop=2", fmt.Sprintf("trim=end_frame=%d", frames[i]), "format=yuv420p", "settb=AVTB")
	}
	overlap := out.frame(s.n("overlap"))
	if s.Words["transition"] == "cut" || overlap == 0 || len(clips) == 1 {
		if len(clips) == 1 {
			return clips[0]
		}
		return b.join(fmt.Sprintf("%s=n=%d:v=1:a=0,trim=end_frame=%d", b.named("concat", s), len(clips), out.Frames()), clips...)
	}
	st, at := clips[0], frames[0]
	for i := 1; i < len(clips); i++ {
		st = b.join(fmt.Sprintf("%s=transition=%s:duration=%s:offset=%s", b.named("xfade", s), transitionOf(s.Words["transition"]),
			micro(out.at(overlap)), micro(out.at(at-overlap))), st, clips[i])
		at += frames[i] - overlap
	}
	return st.then(fmt.Sprintf("trim=end_frame=%d", out.Frames()))
}

func (b *builder) inFacts(s *Step) []Facts {
	facts := make([]Facts, len(s.In))
	for i, in := range s.In {
		facts[i] = b.facts.of(in)
	}
	return facts
}

func stitchSound(b *builder, s *Step, out Facts) stream {
	clips := make([]stream, len(s.In))
	frames := lengths(b.inFacts(s), out)
	for i := range s.In {
		clips[i] = b.even(s.In[i], out.Samples).then("apad", "atrim=end="+micro(out.at(frames[i])))
	}
	overlap := out.frame(s.n("overlap"))
	if len(clips) == 1 {
		return clips[0]
	}
	if s.Words["transition"] == "cut" || overlap == 0 {
		return b.join(fmt.Sprintf("%s=n=%d:v=0:a=1", b.named("concat", s), len(clips)), clips...)
	}
	st := clips[0]
	for i := 1; i < len(clips); i++ {
		st = b.join(fmt.Sprintf("%s=d=%s", b.named("acrossfade", s), micro(out.at(overlap))), st, clips[i])
	}
	return st
}

func concatFacts(s *Step, in []Facts) (Facts, error) {
	f := Facts{Kind: "audio", Channels: 2}
	for i := range in {
		if in[i].Kind != "audio" {
			return f, refused("track %d is no sound; media.audio_extract takes the sound out of a video", i+1)
		}
		if x := s.n("crossfade"); len(in) > 1 && in[i].Duration < 2*x {
			return f, refused("track %d has %s ms; a crossfade of %s ms needs twice that", i+1, num(math.Round(in[i].Duration*1000)), num(x*1000))
		}
		f.Samples = max(f.Samples, samples(in[i]))
		f.Duration += in[i].Duration
	}
	f.Duration += float64(len(in)-1) * (s.n("gap") - s.n("crossfade"))
	return f, f.check()
}

func concatSound(b *builder, s *Step, out Facts) stream {
	tracks := make([]stream, len(s.In))
	for i, in := range s.In {
		tracks[i] = b.stereo(in, out.Samples).then("apad", "atrim=end="+micro(b.facts.of(in).Duration))
		if gap := s.n("gap"); gap > 0 && i < len(s.In)-1 {
			tracks[i] = tracks[i].then("apad=pad_dur=" + micro(gap))
		}
	}
	st := tracks[0]
	if x := s.n("crossfade"); x > 0 {
		for i := 1; i < len(tracks); i++ {
			st = b.join(b.named("acrossfade", s)+"=d="+micro(x), st, tracks[i])
		}
		return st
	}
	if len(tracks) == 1 {
		return st
	}
	return b.join(fmt.Sprintf("%s=n=%d:v=0:a=1", b.named("concat", s), len(tracks)), tracks...)
}
