package media

import (
	"math"
)

// timeOp has the operations on the time of a clip.
func timeOp(name string) (op, bool) {
	switch name {
	case "trim":
		return op{
			inputs: [2]int{1, 1}, numbers: map[string]span{"start": {0, maxSeconds}, "end": {0, maxSeconds}},
			facts: trimFacts, idle: trimIdle, picture: trimPicture, sound: trimSound,
		}, true
	case "rate":
		return op{
			inputs: [2]int{1, 1}, numbers: map[string]span{"num": {1, 1e6}, "den": {1, 1e6}}, words: map[string]string{"smooth": "no|yes"},
			facts: rateFacts, idle: func(s *Step, in Facts) bool { return in.Rate == (Rate{s.int("num"), s.int("den")}) },
			picture: func(b *builder, s *Step, out Facts) stream {
				filter := b.named("fps", s) + "=fps=" + out.Rate.String()
				if s.Words["smooth"] == "yes" {
					filter = b.named("minterpolate", s) + "=fps=" + out.Rate.String()
				}
				return b.picture(s.In[0]).then(filter)
			},
		}, true
	case "keep":
		return op{inputs: [2]int{1, 1}, spans: 2000, numbers: map[string]span{"speed": {0, 100}}, facts: keepFacts, picture: keepPicture, sound: keepSound}, true
	case "frame":
		return op{
			inputs: [2]int{1, 1}, numbers: map[string]span{"at": {0, maxSeconds}}, facts: frameFacts,
			picture: framePicture,
		}, true
	case "speed":
		return op{
			inputs: [2]int{1, 1}, numbers: map[string]span{"speed": {0.1, 20}}, words: map[string]string{"pitch": "keep|move"},
			facts: speedFacts, idle: func(s *Step, _ Facts) bool { return s.n("speed") == 1 },
			picture: func(b *builder, s *Step, out Facts) stream {
				return b.picture(s.In[0]).then(b.named("setpts", s)+"=PTS/"+num(s.n("speed")), "fps="+out.Rate.String())
			},
			sound: speedSound,
		}, true
	}
	return op{}, false
}

func trimFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	start, end := s.n("start"), s.n("end")
	switch {
	case f.Kind == "image":
		return f, refused("a picture has no beginning and end to cut off; give a video or a sound")
	case end == 0:
		end = f.Duration
	}
	// An end slightly after the last frame is accepted: durations in files are not exact.
	if start >= end || start >= f.Duration || end > f.Duration+0.1 {
		return f, refused("it has %s ms; choose start_ms and end_ms within that, the start before the end", num(math.Round(f.Duration*1000)))
	}
	if f.Lasting > 0 {
		f.Lasting = min(max(0, f.Lasting-start), end-start)
	}
	f.Duration = min(end, f.Duration) - start
	if f.Kind == "video" {
		from, to := trimFrames(s, in[0])
		if from >= to {
			return f, refused("there is no frame between start_ms and end_ms; a frame takes %s ms", num(math.Round(1000/f.Rate.Float())))
		}
		f.Duration = f.at(to - from)
	}
	return f, nil
}

// trimFrames returns the first frame of a trimmed video, and the frame after its last.
func trimFrames(s *Step, in Facts) (from, to int) {
	end := s.n("end")
	if end == 0 {
		end = in.Duration
	}
	return in.frame(s.n("start")), in.frame(min(end, in.Duration))
}

func trimIdle(s *Step, in Facts) bool {
	return s.n("start") == 0 && (s.n("end") == 0 || s.n("end") >= in.Duration)
}

// bounds returns when a trimmed clip begins and ends, for videos at frames. Pictures are
// cut half a frame earlier, so that rounded timestamps in a file cannot move a frame across
// the cut.
func (b *builder) bounds(s *Step) (start, end, half float64) {
	in := b.facts.of(s.In[0])
	if in.Kind != "video" {
		end = s.n("end")
		if end == 0 {
			end = in.Duration
		}
		return s.n("start"), min(end, in.Duration), 0
	}
	from, to := trimFrames(s, in)
	return in.at(from), in.at(to), min(in.at(1)/2, in.at(from))
}

// seek returns input options that read only the trimmed part of a source. ok is false
// unless the trim is applied directly to a source with a constant frame rate.
func (b *builder) seek(s *Step) (options []string, ok bool) {
	if s.In[0] >= 0 || b.r.Sources[-1-s.In[0]].Variable {
		return nil, false
	}
	start, end, half := b.bounds(s)
	return []string{"-ss", micro(start - half), "-t", micro(end - start + half)}, true
}

// micro formats seconds with ffmpeg's precision, microseconds.
func micro(seconds float64) string { return num(math.Round(seconds*1e6) / 1e6) }

func trimPicture(b *builder, s *Step, _ Facts) stream {
	start, end, half := b.bounds(s)
	frame := b.facts.of(s.In[0]).at(1)
	if options, ok := b.seek(s); ok {
		src := b.source(-1-s.In[0], false, options)
		cut := b.named("trim", s) + "=end=" + micro(end-start-frame/2)
		if half == 0 {
			return stream{from: src.from}.then(cut).then(src.filters...)
		}
		// The input begins half a frame early.
		return stream{from: src.from}.then("setpts=round(PTS-"+micro(half)+"/TB)", cut).then(src.filters...)
	}
	cut := frame / 2
	return b.picture(s.In[0]).then(b.named("trim", s)+"=start="+micro(max(0, start-cut))+":end="+micro(end-cut), "setpts=round(PTS-"+micro(start)+"/TB)")
}

func trimSound(b *builder, s *Step, _ Facts) stream {
	start, end, half := b.bounds(s)
	if options, ok := b.seek(s); ok {
		src := b.source(-1-s.In[0], true, options)
		if half == 0 {
			return src
		}
		return src.then("atrim=start="+micro(half), "asetpts=round(PTS-"+micro(half)+"/TB)")
	}
	return b.sound(s.In[0]).then(b.named("atrim", s)+"=start="+micro(start)+":end="+micro(end), "asetpts=round(PTS-"+micro(start)+"/TB)")
}

// frameFacts returns the facts of the picture that a video shows at a moment.
func frameFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind != "video" || s.n("at") > f.Duration {
		return f, refused("the video has %s ms; at_ms has to lie within that", num(math.Round(f.Duration*1000)))
	}
	return Facts{Kind: "image", Width: f.Width, Height: f.Height, Alpha: f.Alpha}, nil
}

func framePicture(b *builder, s *Step, _ Facts) stream {
	in := b.facts.of(s.In[0])
	start := micro(max(0, in.at(min(in.frame(s.n("at")), in.Frames()-1))-in.at(1)/2))
	if s.In[0] < 0 && !b.r.Sources[-1-s.In[0]].Variable {
		return b.source(-1-s.In[0], false, []string{"-ss", start})
	}
	return b.picture(s.In[0]).then(b.named("trim", s)+"=start="+start, "setpts=PTS-STARTPTS")
}

func rateFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	r := Rate{s.int("num"), s.int("den")}
	if f.Kind != "video" || r.Float() > maxRate || r.Float() < 0.1 {
		return f, refused("a video has from 0.1 to %d frames a second", maxRate)
	}
	f.Rate = r
	f.Duration = f.at(max(1, f.frame(f.Duration)))
	return f, f.check()
}

func speedFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind == "image" {
		return f, refused("a picture has no speed; give a video or a sound")
	}
	f.Duration /= s.n("speed")
	f.Lasting /= s.n("speed")
	if f.Kind == "video" {
		f.Duration = f.at(max(1, f.frame(f.Duration)))
	}
	return f, f.check()
}

func speedSound(b *builder, s *Step, _ Facts) stream {
	speed, in := s.n("speed"), b.facts.of(s.In[0])
	if s.Words["pitch"] == "move" {
		rate := max(1, in.Samples)
		return b.sound(s.In[0]).then(b.named("asetrate", s)+"="+num(math.Round(float64(rate)*speed)), "aresample="+num(float64(rate)))
	}
	st := b.sound(s.In[0])
	for speed > 2 || speed < 0.5 { // the range that one filter handles well
		step := 2.0
		if speed < 0.5 {
			step = 0.5
		}
		st, speed = st.then(b.named("atempo", s)+"="+num(step)), speed/step
	}
	return st.then(b.named("atempo", s) + "=" + num(speed))
}

// check returns an error for facts beyond the limits.
func (f Facts) check() error {
	switch {
	case f.Width > maxSide || f.Height > maxSide || f.Width*f.Height > maxPixels:
		return limited("a picture of %d × %d pixels is too big; it may have %d on a side and %d million in all", f.Width, f.Height, maxSide, maxPixels/1_000_000)
	case f.Duration > maxSeconds:
		return limited("%s hours are too long; it may have 24", num(math.Round(f.Duration/3600)))
	case f.Kind == "video" && f.Frames() > maxFrames:
		return limited("%d frames are too many; a video may have %d", f.Frames(), maxFrames)
	}
	return nil
}

// The inputs that ffmpeg may read. A list of protocols alone is not enough: ffmpeg would
// recognize formats that refer to other files, such as playlists, by their content.
const (
	protocols = "file"
	formats   = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,mp3,wav,w64,aiff,caf,flac,ogg,aac,ac3,eac3,amr,gif,apng," +
		"png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe,nut"
	decoders = "h264,hevc,vp8,vp9,libvpx,libvpx-vp9,av1,libdav1d,libaom-av1,mpeg1video,mpeg2video,mpegvideo,mpeg4,msmpeg4,msmpeg4v2,msmpeg4v3,h263,flv,wmv1,wmv2,wmv3,vc1," +
		"mjpeg,prores,dnxhd,dvvideo,theora,rawvideo,ffv1,huffyuv,ffvhuff,utvideo,png,apng,gif,webp,bmp,tiff," +
		"aac,aac_latm,mp1,mp1float,mp2,mp2float,mp3,mp3float,opus,libopus,vorbis,libvorbis,flac,alac,ac3,eac3,wmav1,wmav2,amrnb,amrwb," +
		"pcm_s16le,pcm_s16be,pcm_s24le,pcm_s24be,pcm_s32le,pcm_s32be,pcm_f32le,pcm_f32be,pcm_f64le,pcm_u8,pcm_s8,pcm_alaw,pcm_mulaw,adpcm_ms,adpcm_ima_wav," +
		"mov_text,subrip,srt,ass,ssa,webvtt"
)

// readOptions returns the options before every input.
func readOptions() []string {
	return []string{"-protocol_whitelist", protocols, "-format_whitelist", formats, "-codec_whitelist", decoders, "-max_pixels", num(maxPixels)}
}
