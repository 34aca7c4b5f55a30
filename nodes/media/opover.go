package media

import (
	"fmt"
	"strconv"
)

// overOp has the operations that overlay something on a picture.
func overOp(name string) (op, bool) {
	switch name {
	case "text":
		return op{
			inputs: [2]int{1, 1}, text: 4096,
			numbers: map[string]span{"margin": {0, maxSide}, "size": {4, 1000}, "start": {0, maxSeconds}, "end": {0, maxSeconds}},
			words:   map[string]string{"position": positions, "font": "font", "color": "color", "background": "color"},
			facts:   seenFacts, picture: textPicture,
			idle: func(s *Step, _ Facts) bool { return s.Text == "" },
		}, true
	case "overlay":
		return op{
			inputs: [2]int{2, 2}, numbers: map[string]span{
				"x": {-maxSide, maxSide}, "y": {-maxSide, maxSide}, "width": {2, maxSide}, "height": {2, maxSide},
				"start": {0, maxSeconds}, "end": {0, maxSeconds}, "opacity": {0, 1},
			},
			facts: overFacts, picture: overPicture,
		}, true
	}
	return op{}, false
}

const positions = "top_left|top|top_right|left|center|right|bottom_left|bottom|bottom_right"

// Position returns the position of an overlay in a picture, for one of nine alignments.
func Position(name string, in Facts, width, height, margin int) (x, y int) {
	x, y = (in.Width-width)/2, (in.Height-height)/2
	switch name {
	case "top_left", "left", "bottom_left":
		x = margin
	case "top_right", "right", "bottom_right":
		x = in.Width - width - margin
	}
	switch name {
	case "top_left", "top", "top_right":
		y = margin
	case "bottom_left", "bottom", "bottom_right":
		y = in.Height - height - margin
	}
	return x, y
}

// textPlace returns the position of a text as ffmpeg expressions, since only ffmpeg knows
// the size of the text.
func textPlace(name string, margin int) (x, y string) {
	m := strconv.Itoa(margin)
	x, y = "(w-text_w)/2", "(h-text_h)/2"
	switch name {
	case "top_left", "left", "bottom_left":
		x = m
	case "top_right", "right", "bottom_right":
		x = "w-text_w-" + m
	}
	switch name {
	case "top_left", "top", "top_right":
		y = m
	case "bottom_left", "bottom", "bottom_right":
		y = "h-text_h-" + m
	}
	return x, y
}

// textPicture passes the text to ffmpeg in a file, where no character is special.
func textPicture(b *builder, s *Step, out Facts) stream {
	x, y := textPlace(s.Words["position"], s.int("margin"))
	when := during(s, out)
	text := fmt.Sprintf("%s=textfile=%s:expansion=none:font=%s:fontsize=%d", b.named("drawtext", s), b.file(s.Text), s.Words["font"], s.int("size"))
	plain := fmt.Sprintf("%s:fontcolor=%s:x=%s:y=%s", text, s.color("color"), x, y)
	if background := s.color("background"); background[len(background)-2:] != "00" {
		return b.picture(s.In[0]).then(plain + fmt.Sprintf(":box=1:boxcolor=%s:boxborderw=%d", background, s.int("size")/4) + when)
	}
	return b.picture(s.In[0]).then(append(edge(text, x, y, when), plain+when)...)
}

// edge draws the outline of a text: the text in black, moved by two pixels to each side and
// by one pixel to each corner. Before ffmpeg 6.1 drawtext's own border is misplaced at some
// letters by a pixel or two, which is visible.
func edge(text, x, y, when string) (filters []string) {
	for _, d := range [][2]int{{2, 0}, {0, 2}, {1, 1}, {-1, 1}} { // the shadow covers the opposite side
		filters = append(filters, fmt.Sprintf("%s:fontcolor=black:shadowcolor=black:x=%s%+d:y=%s%+d:shadowx=%d:shadowy=%d%s", text, x, -d[0], y, -d[1], 2*d[0], 2*d[1], when))
	}
	return filters
}

// during returns the option that enables a filter: always, or during the spans of the step,
// whose ends are exclusive.
func during(s *Step, out Facts) string {
	start, end := s.n("start"), s.n("end")
	if out.Kind != "video" || start == 0 && (end == 0 || end >= out.Duration) {
		return ""
	}
	if end == 0 {
		return ":enable=gte(t\\," + micro(start) + ")"
	}
	return ":enable=gte(t\\," + micro(start) + ")*lt(t\\," + micro(end) + ")"
}

func overFacts(s *Step, in []Facts) (Facts, error) {
	base, over := in[0], in[1]
	if base.Kind == "audio" || over.Kind == "audio" {
		return base, refused("a sound cannot be put over a picture; media.video_sound gives a video a sound")
	}
	if base.Kind == "image" && over.Kind == "video" {
		return base, refused("a video cannot be put over a picture; make a video of that first")
	}
	if end := s.n("end"); base.Kind == "video" && (s.n("start") >= base.Duration || end > 0 && end <= s.n("start")) {
		return base, refused("the overlay is to be seen from %s to %s ms; the video has %s", num(s.n("start")*1000), num(end*1000), num(base.Duration*1000))
	}
	return base, nil
}

// overPicture repeats the last frame of the overlay to the end, unless the step has an end.
// A still picture has one frame only.
func overPicture(b *builder, s *Step, out Facts) stream {
	base, over := b.picture(s.In[0]), b.picture(s.In[1])
	in := b.facts.of(s.In[1])
	if w, h := s.int("width"), s.int("height"); w != in.Width || h != in.Height {
		over = over.then(scale("scale", w, h)...)
	}
	if o := s.n("opacity"); o < 1 {
		over = over.then("format=rgba", "colorchannelmixer=aa="+num(o))
	}
	if start := s.n("start"); in.Kind == "video" && start > 0 {
		over = over.then("setpts=round(PTS+" + micro(start) + "/TB)")
	}
	filter := fmt.Sprintf("%s=x=%d:y=%d:eof_action=repeat", b.named("overlay", s), s.int("x"), s.int("y"))
	filter += during(s, out)
	if in.Kind == "video" && s.n("start")+in.Duration > out.Duration { // the overlay would make the result longer
		filter += fmt.Sprintf(",trim=end_frame=%d", out.Frames())
	}
	return b.join(filter, base, over)
}
