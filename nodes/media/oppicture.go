package media

import (
	"fmt"
	"math"
)

// pictureOp has the operations on the picture of a video, or on a still picture.
func pictureOp(name string) (op, bool) {
	one := [2]int{1, 1}
	switch name {
	case "resize":
		return op{
			inputs: one, numbers: map[string]span{"width": {2, maxSide}, "height": {2, maxSide}},
			words: map[string]string{"fit": "contain|cover|stretch", "background": "color"},
			facts: resizeFacts, picture: resizePicture,
			idle: func(s *Step, in Facts) bool { return s.int("width") == in.Width && s.int("height") == in.Height },
		}, true
	case "crop":
		return op{
			inputs: one, numbers: map[string]span{"x": {0, maxSide}, "y": {0, maxSide}, "width": {1, maxSide}, "height": {1, maxSide}},
			facts: cropFacts, picture: cropPicture,
			idle: func(s *Step, in Facts) bool { return s.int("width") == in.Width && s.int("height") == in.Height },
		}, true
	case "rotate":
		return op{
			inputs: one, words: map[string]string{"turn": "0|90|180|270", "flip": "none|horizontal|vertical"},
			facts: rotateFacts, picture: rotatePicture,
			idle: func(s *Step, _ Facts) bool { return s.Words["turn"] == "0" && s.Words["flip"] == "none" },
		}, true
	case "adjust":
		return op{
			inputs: one, facts: seenFacts, picture: adjustPicture, idle: adjustIdle,
			numbers: map[string]span{
				"brightness": {-1, 1}, "contrast": {0, 4}, "saturation": {0, 3}, "gamma": {0.1, 10},
				"sharpen": {0, 5}, "blur": {0, 100}, "denoise": {0, 20},
			},
			words: map[string]string{"grayscale": "no|yes"},
		}, true
	case "fade":
		return op{
			inputs: one, numbers: map[string]span{"in": {0, maxSeconds}, "out": {0, maxSeconds}},
			words: map[string]string{"color": "color", "sound": "no|yes"}, facts: fadeFacts, picture: fadePicture, sound: fadeSound,
			idle: func(s *Step, _ Facts) bool { return s.n("in") == 0 && s.n("out") == 0 },
		}, true
	}
	return op{}, false
}

// seenFacts returns the facts of steps that change neither the size nor the duration.
func seenFacts(_ *Step, in []Facts) (Facts, error) {
	if in[0].Kind == "audio" {
		return in[0], refused("a sound has no picture; give a video or a picture")
	}
	return in[0], nil
}

// what returns the word for the kind of a picture in messages.
func (f Facts) what() string {
	if f.Kind == "image" {
		return "picture"
	}
	return f.Kind
}

func resizeFacts(s *Step, in []Facts) (Facts, error) {
	f, err := seenFacts(s, in)
	f.Width, f.Height = s.int("width"), s.int("height")
	if err == nil {
		err = f.check()
	}
	return f, err
}

// scale resizes a picture.
func scale(name string, width, height int) []string {
	return []string{fmt.Sprintf("%s=w=%d:h=%d:flags=bicubic", name, width, height), "setsar=1"}
}

func resizePicture(b *builder, s *Step, out Facts) stream {
	in := b.facts.of(s.In[0])
	return b.picture(s.In[0]).then(fitted(b.named("scale", s), in, out, s.Words["fit"], s.color("background"))...)
}

// fitted returns the filters that resize a picture to the size of another: stretched, with
// bars, or cropped.
func fitted(name string, in, out Facts, fit, background string) []string {
	across, down := float64(out.Width)/float64(in.Width), float64(out.Height)/float64(in.Height)
	factor := min(across, down)
	if fit == "cover" {
		factor = max(across, down)
	}
	w, h := even(float64(in.Width)*factor), even(float64(in.Height)*factor)
	if fit == "stretch" || math.Abs(float64(w-out.Width)) < 2 && math.Abs(float64(h-out.Height)) < 2 {
		return scale(name, out.Width, out.Height)
	}
	if fit == "cover" {
		w, h = max(w, out.Width), max(h, out.Height)
		return append(scale(name, w, h), fmt.Sprintf("crop=w=%d:h=%d:x=%d:y=%d:exact=1", out.Width, out.Height, (w-out.Width)/2, (h-out.Height)/2))
	}
	w, h = min(w, out.Width), min(h, out.Height)
	filters := scale(name, w, h)
	if background[len(background)-2:] != "FF" {
		filters = append(filters, "format=rgba")
	}
	return append(filters, fmt.Sprintf("pad=w=%d:h=%d:x=%d:y=%d:color=%s", out.Width, out.Height, (out.Width-w)/2, (out.Height-h)/2, background))
}

// even returns the nearest even number, at least 2.
func even(f float64) int { return max(2, 2*int(math.Round(f/2))) }

func cropFacts(s *Step, in []Facts) (Facts, error) {
	f, err := seenFacts(s, in)
	if err != nil {
		return f, err
	}
	if s.int("x")+s.int("width") > f.Width || s.int("y")+s.int("height") > f.Height {
		return f, refused("the %s has %d × %d pixels; the part to keep has to lie inside", f.what(), f.Width, f.Height)
	}
	f.Width, f.Height = s.int("width"), s.int("height")
	return f, nil
}

func cropPicture(b *builder, s *Step, out Facts) stream {
	return b.picture(s.In[0]).then(fmt.Sprintf("%s=w=%d:h=%d:x=%d:y=%d:exact=1", b.named("crop", s), out.Width, out.Height, s.int("x"), s.int("y")))
}

func rotateFacts(s *Step, in []Facts) (Facts, error) {
	f, err := seenFacts(s, in)
	if turn := s.Words["turn"]; turn == "90" || turn == "270" {
		f.Width, f.Height = f.Height, f.Width
	}
	return f, err
}

func rotatePicture(b *builder, s *Step, _ Facts) stream {
	st := b.picture(s.In[0])
	switch s.Words["turn"] {
	case "90":
		st = st.then(b.named("transpose", s) + "=clock")
	case "180":
		st = st.then(b.named("hflip", s), b.named("vflip", s))
	case "270":
		st = st.then(b.named("transpose", s) + "=cclock")
	}
	switch s.Words["flip"] {
	case "horizontal":
		st = st.then(b.named("hflip", s))
	case "vertical":
		st = st.then(b.named("vflip", s))
	}
	return st
}

func adjustIdle(s *Step, _ Facts) bool {
	return s.n("brightness") == 0 && s.n("contrast") == 1 && s.n("saturation") == 1 && s.n("gamma") == 1 &&
		s.n("sharpen") == 0 && s.n("blur") == 0 && s.n("denoise") == 0 && s.Words["grayscale"] == "no"
}

func adjustPicture(b *builder, s *Step, _ Facts) stream {
	st := b.picture(s.In[0])
	if v := s.n("denoise"); v > 0 {
		st = st.then(b.named("hqdn3d", s) + "=" + num(v))
	}
	saturation := s.n("saturation")
	if s.Words["grayscale"] == "yes" {
		saturation = 0
	}
	if s.n("brightness") != 0 || s.n("contrast") != 1 || s.n("gamma") != 1 || saturation != 1 {
		filter := b.named("eq", s) + "=brightness=" + num(s.n("brightness")) + ":contrast=" + num(s.n("contrast"))
		if saturation != 1 {
			filter += ":saturation=" + num(saturation)
		}
		if g := s.n("gamma"); g != 1 {
			filter += ":gamma=" + num(g)
		}
		st = st.then(filter)
	}
	if v := s.n("blur"); v > 0 {
		st = st.then(b.named("gblur", s) + "=sigma=" + num(v))
	}
	if v := s.n("sharpen"); v > 0 {
		st = st.then(b.named("unsharp", s) + "=5:5:" + num(v))
	}
	return st
}

func fadeFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind == "image" {
		return f, refused("a picture has no time to fade in; give a video or a sound")
	}
	if s.n("in")+s.n("out") > f.Duration+1e-9 {
		return f, refused("it has %s ms; in_ms and out_ms have to fit into that together", num(math.Round(f.Duration*1000)))
	}
	return f, nil
}

func fadePicture(b *builder, s *Step, out Facts) stream {
	st, color := b.picture(s.In[0]), ""
	if c := s.color("color"); c != "0x000000FF" {
		color = ":color=" + c
	}
	if d := s.n("in"); d > 0 {
		st = st.then(b.named("fade", s) + "=t=in:st=0:d=" + micro(d) + color)
	}
	if d := s.n("out"); d > 0 {
		st = st.then(b.named("fade", s) + "=t=out:st=" + micro(out.Duration-d) + ":d=" + micro(d) + color)
	}
	return st
}

func fadeSound(b *builder, s *Step, out Facts) stream {
	st := b.sound(s.In[0])
	if s.Words["sound"] == "no" {
		return st
	}
	if d := s.n("in"); d > 0 {
		st = st.then(b.named("afade", s) + "=t=in:st=0:d=" + micro(d))
	}
	if d := s.n("out"); d > 0 {
		st = st.then(b.named("afade", s) + "=t=out:st=" + micro(out.Duration-d) + ":d=" + micro(d))
	}
	return st
}
