package media

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// makeOp has the operations that make a blank picture, a picture of a sound or of a video's
// frames, and a video that moves over a picture.
func makeOp(name string) (op, bool) {
	one := [2]int{1, 1}
	switch name {
	case "plain":
		return op{
			numbers: map[string]span{"width": {2, maxSide}, "height": {2, maxSide}}, words: map[string]string{"color": "color"},
			facts: plainFacts, picture: plainPicture,
		}, true
	case "sheet":
		return op{
			inputs: one, numbers: map[string]span{"columns": {1, 20}, "rows": {1, 20}, "width": {2, 4096}},
			facts: sheetFacts, picture: sheetPicture,
		}, true
	case "wave":
		return op{
			inputs: one, numbers: map[string]span{"width": {2, 8192}, "height": {2, 4096}}, words: map[string]string{"color": "color", "style": "wave|spectrum"},
			facts: waveFacts, picture: wavePicture,
		}, true
	case "move":
		return op{
			inputs: one, facts: moveFacts, picture: movePicture,
			numbers: map[string]span{
				"duration": {0.001, maxSeconds}, "num": {1, 1e6}, "den": {1, 1e6}, "width": {2, maxSide}, "height": {2, maxSide},
				"from": {1, 20}, "to": {1, 20},
			},
			words: map[string]string{"x": "center|left_to_right|right_to_left", "y": "center|top_to_bottom|bottom_to_top"},
		}, true
	}
	return op{}, false
}

func plainFacts(s *Step, _ []Facts) (Facts, error) {
	f := Facts{Kind: "image", Width: s.int("width"), Height: s.int("height"), Alpha: !strings.HasSuffix(s.color("color"), "FF")}
	return f, f.check()
}

func plainPicture(b *builder, s *Step, out Facts) stream {
	return stream{}.then(fmt.Sprintf("%s=c=%s:s=%dx%d:r=1:d=1", b.named("color", s), s.color("color"), out.Width, out.Height), "format=rgba")
}

func sheetFacts(s *Step, in []Facts) (Facts, error) {
	f := in[0]
	if f.Kind != "video" {
		return f, refused("a sheet shows the frames of a video")
	}
	w := even(s.n("width"))
	h := even(float64(w) * float64(f.Height) / float64(f.Width))
	made := Facts{Kind: "image", Width: w * s.int("columns"), Height: h * s.int("rows")}
	return made, made.check()
}

// sheetPicture takes the frames in the middle of equal parts of a video.
func sheetPicture(b *builder, s *Step, out Facts) stream {
	in, n := b.facts.of(s.In[0]), s.int("columns")*s.int("rows")
	which := make([]string, 0, n)
	last := -1
	for i := range n {
		if at := (2*i + 1) * in.Frames() / (2 * n); at > last {
			which, last = append(which, `eq(n\,`+strconv.Itoa(at)+")"), at
		}
	}
	st := b.picture(s.In[0]).then(b.named("select", s) + "=" + strings.Join(which, "+"))
	return st.then(scale("scale", out.Width/s.int("columns"), out.Height/s.int("rows"))...).then(fmt.Sprintf("tile=%dx%d", s.int("columns"), s.int("rows")))
}

func waveFacts(s *Step, in []Facts) (Facts, error) {
	if !in[0].hasSound() {
		return in[0], silent()
	}
	f := Facts{Kind: "image", Width: s.int("width"), Height: s.int("height"), Alpha: s.Words["style"] == "wave"}
	return f, f.check()
}

func wavePicture(b *builder, s *Step, out Facts) stream {
	size := fmt.Sprintf("=s=%dx%d", out.Width, out.Height)
	st := b.sound(s.In[0])
	if s.Words["style"] == "spectrum" {
		return st.then(b.named("showspectrumpic", s) + size + ":legend=0")
	}
	return st.then("aformat=channel_layouts=mono", b.named("showwavespic", s)+size+":colors="+s.color("color"))
}

func moveFacts(s *Step, in []Facts) (Facts, error) {
	if in[0].Kind != "image" {
		return in[0], refused("only a picture can be moved over")
	}
	return lasting(Facts{Kind: "video", Width: s.int("width"), Height: s.int("height"), Rate: Rate{s.int("num"), s.int("den")}}, s.n("duration"))
}

// movePicture pans and zooms over a picture with subpixel precision. It works at a higher
// resolution than that of the result, so that zooming in stays sharp.
func movePicture(b *builder, s *Step, out Facts) stream {
	factor := min(2, max(s.n("from"), s.n("to")))
	big := Facts{Width: even(float64(out.Width) * factor), Height: even(float64(out.Height) * factor)}
	st := b.picture(s.In[0]).then(fitted(b.named("scale", s), b.facts.of(s.In[0]), big, "cover", "0x000000FF")...).
		then("settb=1/1000000", "setpts=0", "format=yuv444p", "tpad=stop_mode=clone:stop=-1", "fps="+out.Rate.String(), fmt.Sprintf("trim=end_frame=%d", out.Frames()))
	// done is the progress from 0 to 1, computed from the frame number. Zoom and position
	// are chosen so that the content of the picture moves evenly.
	from, to := s.n("from"), s.n("to")
	done := fmt.Sprintf("((in-1)/%d)", max(1, out.Frames()-1))
	zoom := fmt.Sprintf("(%s+%s*%s)", num(from), tiny(to-from), done)
	left, top := fmt.Sprintf("W*%s/%s", along(s.Words["x"], from, to, done, zoom), zoom), fmt.Sprintf("H*%s/%s", along(s.Words["y"], from, to, done, zoom), zoom)
	right, bottom := fmt.Sprintf("%s+W/%s", left, zoom), fmt.Sprintf("%s+H/%s", top, zoom)
	return st.then(fmt.Sprintf("%s=x0=%s:y0=%s:x1=%s:y1=%s:x2=%s:y2=%s:x3=%s:y3=%s:interpolation=cubic:eval=frame",
		b.named("perspective", s), left, top, right, top, left, bottom, right, bottom)).
		then(scale("scale", out.Width, out.Height)...).then("format=yuv420p")
}

// along returns the part of the zoomed picture that is before the view, relative to the
// size of the view.
func along(pan string, from, to float64, done, zoom string) string {
	switch pan {
	case "left_to_right", "top_to_bottom":
		return tiny(to-1) + "*" + done
	case "right_to_left", "bottom_to_top":
		return tiny(from-1) + "*(1-" + done + ")"
	}
	return "(" + zoom + "-1)/2"
}

// tiny formats a difference without rounding errors.
func tiny(f float64) string { return num(math.Round(f*1e9) / 1e9) }
