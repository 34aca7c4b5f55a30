package media

import (
	"fmt"
	"math"
	"strings"
)

// soundOp has the operations on sound, alone or of a video.
func soundOp(name string) (op, bool) {
	one := [2]int{1, 1}
	switch name {
	case "extract":
		return op{inputs: one, facts: extractFacts}, true
	case "mute":
		return op{inputs: one, facts: func(_ *Step, in []Facts) (Facts, error) {
			f, err := needVideo(in[0])
			f.Sound, f.Samples, f.Channels, f.Lasting = false, 0, 0, 0
			return f, err
		}, idle: func(_ *Step, in Facts) bool { return !in.Sound }}, true
	case "sound":
		return op{
			inputs: [2]int{2, 2}, numbers: map[string]span{"volume": {0, 4}, "offset": {-maxSeconds, maxSeconds}},
			words: map[string]string{"mode": "replace|mix", "loop": "no|yes", "duck": "no|yes"},
			facts: soundFacts, sound: soundSound,
		}, true
	case "level":
		return op{
			inputs: one, facts: hearFacts, sound: levelSound,
			numbers: map[string]span{"gain": {-60, 40}, "high_pass": {0, 20_000}, "denoise": {0, 97}},
			idle:    func(s *Step, _ Facts) bool { return s.n("gain") == 0 && s.n("high_pass") == 0 && s.n("denoise") == 0 },
		}, true
	case "normalize":
		return op{
			inputs: one, facts: normalizeFacts, sound: normalizeSound,
			numbers: map[string]span{
				"target": {-70, -5}, "peak": {-9, 0}, "measured": {-99, 20}, "measured_peak": {-99, 20}, "range": {0, 99},
				"threshold": {-99, 20}, "offset": {-99, 99},
			},
		}, true
	case "mix":
		return op{
			inputs: [2]int{1, 32}, words: map[string]string{"length": "longest|shortest|first"}, spans: 32,
			facts: mixFacts, sound: mixSound,
		}, true
	}
	return op{}, false
}

func needVideo(f Facts) (Facts, error) {
	if f.Kind != "video" {
		return f, refused("this is no video")
	}
	return f, nil
}

// hearFacts returns the facts of steps that change the sound but not its duration.
func hearFacts(_ *Step, in []Facts) (Facts, error) {
	if !in[0].hasSound() {
		return in[0], silent()
	}
	return in[0], nil
}

func silent() error { return coded(codeNoAudio, "the video has no sound") }

func extractFacts(_ *Step, in []Facts) (Facts, error) {
	f := in[0]
	if !f.hasSound() {
		return f, silent()
	}
	length := f.Duration
	if f.Lasting > 0 {
		length = f.Lasting
	}
	return Facts{Kind: "audio", Duration: length, Samples: f.Samples, Channels: f.Channels}, nil
}

func soundFacts(s *Step, in []Facts) (Facts, error) {
	f, err := needVideo(in[0])
	switch {
	case err != nil:
		return f, err
	case in[1].Kind != "audio":
		return f, refused("what is to be heard has to be a sound; media.audio_extract takes the sound out of a video")
	}
	f.Sound, f.Lasting = true, 0
	f.Samples, f.Channels = max(f.Samples, in[1].Samples), max(f.Channels, in[1].Channels)
	return f, nil
}

// soundSound makes the sound exactly as long as the picture.
func soundSound(b *builder, s *Step, out Facts) stream {
	st := b.stereo(s.In[1], samples(out))
	if s.Words["loop"] == "yes" {
		st = st.then("aloop=loop=-1:size=2147483647")
	}
	if v := s.n("volume"); v != 1 {
		st = st.then(b.named("volume", s) + "=" + num(v))
	}
	switch o := s.n("offset"); {
	case o > 0:
		st = st.then(fmt.Sprintf("adelay=delays=%d:all=1", int(math.Round(o*1000))))
	case o < 0:
		st = st.then("atrim=start="+micro(-o), "asetpts=round(PTS-"+micro(-o)+"/TB)")
	}
	st = st.then("apad", "atrim=end="+micro(out.Duration))
	if s.Words["mode"] == "replace" || !b.facts.of(s.In[0]).Sound {
		return st
	}
	old := b.even(s.In[0], samples(out))
	if s.Words["duck"] == "yes" {
		both := b.fork(st)
		old = b.join("sidechaincompress=threshold=0.02:ratio=12:attack=20:release=400", old, both[0])
		st = both[1]
	}
	return b.join(b.named("amix", s)+"=inputs=2:normalize=0:duration=longest,alimiter=level=0:latency=1", old, st)
}

// fork splits a stream into two.
func (b *builder) fork(s stream) [2]stream {
	one, two := b.name(), b.name()
	b.graph = append(b.graph, "["+b.label(s)+"]asplit=2["+one+"]["+two+"]")
	return [2]stream{{from: one}, {from: two}}
}

func samples(f Facts) int {
	if f.Samples <= 0 {
		return 48_000
	}
	return f.Samples
}

// even returns the sound of a clip in stereo, at a sample rate, and exactly as long as the
// clip. Missing sound is silence.
func (b *builder) even(in, rate int) stream {
	f := b.facts.of(in)
	if !f.hasSound() {
		return stream{}.then(fmt.Sprintf("anullsrc=channel_layout=stereo:sample_rate=%d", rate), "atrim=end="+micro(f.Duration), "aformat=sample_fmts=fltp")
	}
	return b.stereo(in, rate).then("aresample=async=1:first_pts=0", "apad", "atrim=end="+micro(f.Duration), "asetpts=PTS-STARTPTS")
}

// stereo returns a sound in stereo at a sample rate. A single channel is copied to both
// sides; ffmpeg's default would make it quieter.
func (b *builder) stereo(in, rate int) stream {
	st := b.sound(in)
	if b.facts.of(in).Channels == 1 {
		st = st.then("pan=stereo|c0=c0|c1=c0")
	}
	return st.then(fmt.Sprintf("aformat=sample_fmts=fltp:sample_rates=%d:channel_layouts=stereo", rate))
}

func levelSound(b *builder, s *Step, _ Facts) stream {
	st := b.sound(s.In[0])
	if v := s.n("high_pass"); v > 0 {
		st = st.then(b.named("highpass", s) + "=f=" + num(v))
	}
	if v := s.n("denoise"); v > 0 {
		st = st.then(b.named("afftdn", s) + "=nr=" + num(v))
	}
	if v := s.n("gain"); v != 0 {
		st = st.then(b.named("volume", s) + "=" + num(v) + "dB")
	}
	return st
}

func normalizeFacts(s *Step, in []Facts) (Facts, error) {
	f, err := hearFacts(s, in)
	f.Samples = samples(f)
	return f, err
}

// normalizeSound is the second pass of normalizing. With the measurements of the first
// pass, ffmpeg can apply a constant gain, which keeps the dynamics.
func normalizeSound(b *builder, s *Step, out Facts) stream {
	return b.sound(s.In[0]).then(fmt.Sprintf(
		"%s=I=%s:TP=%s:LRA=%s:measured_I=%s:measured_TP=%s:measured_LRA=%s:measured_thresh=%s:offset=%s:linear=true", b.named("loudnorm", s),
		num(s.n("target")), num(s.n("peak")), num(min(50, max(1, s.n("range")))), num(s.n("measured")), num(s.n("measured_peak")), num(s.n("range")), num(s.n("threshold")),
		num(s.n("offset"))), fmt.Sprintf("aformat=sample_rates=%d:channel_layouts=%s", out.Samples, layout(out)))
}

// layout returns ffmpeg's name of a channel layout.
func layout(f Facts) string {
	switch f.Channels {
	case 1:
		return "mono"
	case 6:
		return "5.1"
	case 8:
		return "7.1"
	}
	return "stereo"
}

// mixFacts reads the tracks from the spans: Start is when a track begins, End is its
// volume, and the text is not used.
func mixFacts(s *Step, in []Facts) (Facts, error) {
	f := Facts{Kind: "audio", Channels: 2}
	if len(s.Spans) != len(in) {
		return f, malformed("a mix has other tracks than it tells of")
	}
	for i := range in {
		if in[i].Kind != "audio" {
			return f, refused("track %d is no sound; media.audio_extract takes the sound out of a video", i+1)
		}
		length := s.Spans[i].Start + in[i].Duration
		f.Samples = max(f.Samples, samples(in[i]))
		switch {
		case i == 0:
			f.Duration = length
		case s.Words["length"] == "longest":
			f.Duration = max(f.Duration, length)
		case s.Words["length"] == "shortest":
			f.Duration = min(f.Duration, length)
		}
	}
	return f, f.check()
}

// mixSound adds tracks without scaling them; a limiter prevents clipping.
func mixSound(b *builder, s *Step, out Facts) stream {
	tracks := make([]stream, len(s.In))
	for i, in := range s.In {
		st := b.stereo(in, out.Samples)
		if v := s.Spans[i].End - s.Spans[i].Start; v != 1 {
			st = st.then(b.named("volume", s) + "=" + num(v))
		}
		if o := s.Spans[i].Start; o > 0 {
			st = st.then(fmt.Sprintf("adelay=delays=%d:all=1", int(math.Round(o*1000))))
		}
		tracks[i] = st
	}
	end := []string{"alimiter=level=0:latency=1", "apad", "atrim=end=" + micro(out.Duration)}
	if len(tracks) == 1 {
		return tracks[0].then(end...)
	}
	return b.join(fmt.Sprintf("%s=inputs=%d:normalize=0:duration=longest,%s", b.named("amix", s), len(tracks), strings.Join(end, ",")), tracks...)
}
