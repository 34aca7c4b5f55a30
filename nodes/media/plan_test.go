package media_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/golden"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes/media"
)

var update = flag.Bool("update", false, "write the golden files")

type (
	numbers = map[string]float64
	words   = map[string]string
)

func clip(name string) media.Recipe {
	return media.Of(media.Source{
		Path: name, Size: 1000, Time: 1, Picture: "h264", Sound: "aac", Bits: 128_000,
		Facts: media.Facts{Kind: "video", Width: 1280, Height: 720, Rate: media.Rate{Num: 30, Den: 1}, Duration: 20, Sound: true, Samples: 48_000, Channels: 2},
	})
}

func picture(name string) media.Recipe {
	return media.Of(media.Source{Path: name, Size: 10, Time: 1, Picture: "png", Facts: media.Facts{Kind: "image", Width: 200, Height: 100}})
}

func song(name string) media.Recipe {
	return media.Of(media.Source{Path: name, Size: 10, Time: 1, Sound: "mp3", Facts: media.Facts{Kind: "audio", Duration: 30, Samples: 44_100, Channels: 2}})
}

// must returns a recipe with another step, which must be valid.
func must(t testing.TB, s media.Step, on ...media.Recipe) media.Recipe {
	t.Helper()
	r, err := media.Then(s, on...)
	require.NoError(t, err)
	return r
}

func trim(start, end float64) media.Step {
	return media.Step{Op: "trim", Node: "cut", Numbers: numbers{"start": start, "end": end}}
}

func crop(x, w, h float64) media.Step {
	return media.Step{Op: "crop", Node: "crop", Numbers: numbers{"x": x, "y": 0, "width": w, "height": h}}
}

func resize(w, h float64, fit string) media.Step {
	return media.Step{Op: "resize", Node: "size", Numbers: numbers{"width": w, "height": h}, Words: words{"fit": fit, "background": "#000000"}}
}

func overlay(x, y, w, h, start, end float64) media.Step {
	return media.Step{Op: "overlay", Node: "over", Numbers: numbers{"x": x, "y": y, "width": w, "height": h, "start": start, "end": end, "opacity": 1}}
}

func fade(in, out float64) media.Step {
	return media.Step{Op: "fade", Node: "fade", Numbers: numbers{"in": in, "out": out}, Words: words{"color": "#000000", "sound": "yes"}}
}

func text(s string) media.Step {
	return media.Step{
		Op: "text", Node: "title", Text: s, Numbers: numbers{"margin": 20, "size": 32, "start": 0, "end": 0},
		Words: words{"position": "top_left", "font": "Sans", "color": "#FFFFFF", "background": "transparent"},
	}
}

func captions(spans ...media.Span) media.Step {
	s := media.DefaultStyle().Step()
	s.Node, s.Spans = "captions", spans
	return s
}

// plans returns recipes with every operation.
func plans(t testing.TB) map[string]media.Recipe {
	a, b := clip("a.mp4"), clip("b.mp4")
	turned := clip("phone.mp4")
	turned.Sources[0].Turn, turned.Sources[0].Facts.Width, turned.Sources[0].Facts.Height = 90, 720, 1280
	turned.Facts = turned.Sources[0].Facts
	uneven := clip("screen.mp4")
	uneven.Sources[0].Variable = true
	cut := must(t, trim(2, 18), a)
	stitch := media.Step{
		Op: "stitch", Node: "join", Numbers: numbers{"width": 1280, "height": 720, "num": 30, "den": 1, "overlap": 0},
		Words: words{"fit": "contain", "background": "#000000", "transition": "cut"},
	}
	mixed := stitch
	mixed.Numbers = numbers{"width": 640, "height": 640, "num": 25, "den": 1, "overlap": 1}
	mixed.Words = words{"fit": "cover", "background": "#000000", "transition": "wipe_left"}
	sound := media.Step{Op: "sound", Node: "voice", Numbers: numbers{"volume": 0.5, "offset": 0.25}, Words: words{"mode": "mix", "loop": "no", "duck": "yes"}}
	replaced := media.Step{Op: "sound", Node: "voice", Numbers: numbers{"volume": 1, "offset": 0}, Words: words{"mode": "replace", "loop": "no", "duck": "no"}}
	return map[string]media.Recipe{
		"a file":                        a,
		"from a phone":                  turned,
		"trim is a seek":                cut,
		"trim of uneven frames":         must(t, trim(2, 18), uneven),
		"trim behind crop":              must(t, trim(1, 2), must(t, crop(0, 640, 480), a)),
		"trim twice":                    must(t, trim(1, 2), cut),
		"what changes nothing vanishes": must(t, crop(0, 1280, 720), must(t, trim(0, 20), a)),
		"seven steps": must(t, fade(1, 0), must(t, text("It's 100 % : [ok]; \\ {x} %{pts}"), must(t, media.Step{
			Op: "adjust", Node: "adjust", Words: words{"grayscale": "no"},
			Numbers: numbers{"brightness": 0.05, "contrast": 1.1, "saturation": 1, "gamma": 1, "sharpen": 0, "blur": 0, "denoise": 0},
		}, must(t, resize(640, 480, "stretch"), must(t, crop(160, 960, 720), cut))))),
		"resize with bars":         must(t, resize(640, 640, "contain"), a),
		"resize that cuts off":     must(t, resize(640, 640, "cover"), a),
		"a picture over a video":   must(t, overlay(10, 20, 200, 100, 0, 0), a, picture("logo.png")),
		"a part of itself over it": must(t, overlay(10, 20, 320, 180, 1, 3), cut, must(t, crop(0, 320, 180), cut)),
		"stitch":                   must(t, stitch, a, must(t, trim(1, 2), b), must(t, media.Step{Op: "mute", Node: "mute"}, b)),
		"stitch with transitions":  must(t, mixed, a, b),
		"the sound only":           must(t, media.Step{Op: "extract", Node: "sound"}, cut),
		"another sound, mixed":     must(t, sound, a, song("b.mp3")),
		"another sound":            must(t, replaced, a, song("b.mp3")),
		"no sound":                 must(t, media.Step{Op: "mute", Node: "mute"}, a),
		"slower":                   must(t, media.Step{Op: "speed", Node: "speed", Numbers: numbers{"speed": 0.25}, Words: words{"pitch": "keep"}}, a),
		"another rate":             must(t, media.Step{Op: "rate", Node: "rate", Numbers: numbers{"num": 24, "den": 1}, Words: words{"smooth": "no"}}, a),
		"turned":                   must(t, media.Step{Op: "rotate", Node: "turn", Words: words{"turn": "90", "flip": "horizontal"}}, a),
		"nothing but a colour":     must(t, media.Step{Op: "blank", Node: "blank", Numbers: numbers{"width": 320, "height": 240, "duration": 3, "num": 25, "den": 1}, Words: words{"color": "navy"}}),
		"a picture as a video":     must(t, media.Step{Op: "still", Node: "still", Numbers: numbers{"duration": 2, "num": 25, "den": 1}}, picture("a.png")),
		"two songs":                must(t, media.Step{Op: "concat", Node: "row", Numbers: numbers{"gap": 1, "crossfade": 0}}, song("a.mp3"), song("b.mp3")),
		"two songs at once":        must(t, media.Step{Op: "mix", Node: "mix", Words: words{"length": "longest"}, Spans: []media.Span{{Start: 0, End: 1}, {Start: 2, End: 2.5}}}, song("a.mp3"), song("b.mp3")),
		"louder":                   must(t, media.Step{Op: "level", Node: "level", Numbers: numbers{"gain": 6, "high_pass": 80, "denoise": 12}}, song("a.mp3")),
		"a node with an odd name":  must(t, media.Step{Op: "crop", Node: "a=b,c;[d]'e", Numbers: numbers{"x": 0, "y": 0, "width": 10, "height": 10}}, a),
		"parts of it":              must(t, media.Step{Op: "keep", Node: "keep", Numbers: numbers{"speed": 0}, Spans: []media.Span{{Start: 1, End: 2}, {Start: 3.3, End: 4}, {Start: 10, End: 12}}}, a),
		"the rest goes by fast":    must(t, media.Step{Op: "keep", Node: "keep", Numbers: numbers{"speed": 8}, Spans: []media.Span{{Start: 0, End: 2}, {Start: 10, End: 12}}}, a),
		"captions":                 must(t, captions(media.Span{Start: 1, End: 2.5, Text: "Hello {there}\\N\nyou"}), a),
		"a sheet of frames":        must(t, media.Step{Op: "sheet", Node: "sheet", Numbers: numbers{"columns": 2, "rows": 2, "width": 320}}, a),
		"what it sounds like":      must(t, media.Step{Op: "wave", Node: "wave", Numbers: numbers{"width": 600, "height": 100}, Words: words{"color": "#4C8DFF", "style": "wave"}}, a),
		"a spectrum":               must(t, media.Step{Op: "wave", Node: "wave", Numbers: numbers{"width": 600, "height": 100}, Words: words{"color": "#4C8DFF", "style": "spectrum"}}, song("a.mp3")),
		"a picture of one colour":  must(t, media.Step{Op: "plain", Node: "plain", Numbers: numbers{"width": 32, "height": 24}, Words: words{"color": "#11223380"}}),
		"a picture that moves": must(t, media.Step{
			Op: "move", Node: "move", Words: words{"x": "left_to_right", "y": "center"},
			Numbers: numbers{"duration": 2, "num": 24, "den": 1, "width": 72, "height": 128, "from": 1, "to": 1.15},
		}, picture("a.png")),
		"an odd size": must(t, crop(0, 641, 479), a),
	}
}

func TestPlans(t *testing.T) {
	var got strings.Builder
	all := plans(t)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		r := all[name]
		c, err := media.Plan(&r, media.Interim(r.Facts))
		require.NoError(t, err, name)
		fmt.Fprintf(&got, "%s\n  is %s %dx%d %.3f s\n", name, r.Facts.Kind, r.Facts.Width, r.Facts.Height, r.Facts.Duration)
		for _, in := range c.Inputs {
			fmt.Fprintf(&got, "  -i %s %s\n", r.Sources[in.Source].Path, strings.Join(in.Options, " "))
		}
		for chain := range strings.SplitSeq(c.Graph, ";") {
			fmt.Fprintf(&got, "  %s\n", chain)
		}
		fmt.Fprintf(&got, "  %s\n\n", strings.Join(media.Interim(r.Facts).Options(c, &r, 2), " "))
	}
	golden.Equal(t, "testdata/plans.txt", []byte(got.String()), *update)
}

// A recipe that is formatted and parsed is the same, with the same facts.
func TestRecipesAreReadAsTheyWereWritten(t *testing.T) {
	for name, r := range plans(t) {
		m, err := r.Media()
		require.NoError(t, err, name)
		require.NoError(t, value.Check(m))
		again, err := media.Parse(m.Recipe)
		require.NoError(t, err, name)
		twice, err := again.Media()
		require.NoError(t, err)
		require.Equal(t, m, twice, name)
		wire, err := value.Decode(value.Encode(m))
		require.NoError(t, err)
		back, err := value.Conform(wire, value.MediaOf(m.Kind))
		require.NoError(t, err)
		require.Equal(t, m, back, name)
	}
}

func TestStepsThatCannotWorkAreRefused(t *testing.T) {
	a, still, tune := clip("a.mp4"), picture("a.png"), song("a.mp3")
	silent := must(t, media.Step{Op: "mute"}, a)
	for name, c := range map[string]struct {
		step media.Step
		on   []media.Recipe
		want string
	}{
		"a part outside":       {crop(700, 700, 700), []media.Recipe{a}, "the video has 1280 × 720 pixels; the part to keep has to lie inside"},
		"after the end":        {trim(30, 40), []media.Recipe{a}, "it has 20000 ms; choose start_ms and end_ms within that, the start before the end"},
		"no frame":             {trim(1, 1.001), []media.Recipe{a}, "there is no frame between start_ms and end_ms; a frame takes 33 ms"},
		"no time":              {trim(1, 2), []media.Recipe{still}, "a picture has no beginning and end to cut off; give a video or a sound"},
		"no picture":           {crop(0, 10, 10), []media.Recipe{tune}, "a sound has no picture; give a video or a picture"},
		"no sound":             {media.Step{Op: "extract"}, []media.Recipe{silent}, "the video has no sound"},
		"too long a fade":      {fade(15, 15), []media.Recipe{a}, "it has 20000 ms; in_ms and out_ms have to fit into that together"},
		"too big":              {resize(16384, 16384, "stretch"), []media.Recipe{a}, "a picture of 16384 × 16384 pixels is too big; it may have 16384 on a side and 100 million in all"},
		"no colour":            {media.Step{Op: "fade", Numbers: numbers{"in": 1, "out": 0}, Words: words{"color": "red:alpha=1", "sound": "no"}}, []media.Recipe{a}, `color cannot be "red:alpha=1"; it has to be a colour such as #FF8800 or orange`},
		"a video over a still": {overlay(0, 0, 10, 10, 0, 0), []media.Recipe{still, a}, "a video cannot be put over a picture; make a video of that first"},
	} {
		_, err := media.Then(c.step, c.on...)
		require.EqualError(t, err, c.want, name)
		require.True(t, node.IsPermanent(err), name)
	}
}

func TestRecipesOfStrangersAreHeldToTheRules(t *testing.T) {
	a := clip("a.mp4")
	m, err := a.Media()
	require.NoError(t, err)
	source := m.Recipe[strings.Index(m.Recipe, `"sources":[`)+len(`"sources":[`):]
	source = source[:strings.LastIndex(source, "]")]
	good := `{"facts":{"kind":"video"},"sources":[` + source + `],"steps":[%s]}`
	_, err = media.Parse(fmt.Sprintf(good, `{"op":"mute","in":[-1]}`))
	require.NoError(t, err)
	for name, text := range map[string]string{
		"no JSON":               `{`,
		"an unknown field":      `{"facts":{"kind":"video"},"filter":"movie=/etc/passwd"}`,
		"nothing":               `{"facts":{"kind":"video"}}`,
		"an unknown operation":  fmt.Sprintf(good, `{"op":"movie","in":[-1]}`),
		"an argument too many":  fmt.Sprintf(good, `{"op":"mute","in":[-1],"words":{"x":"y"}}`),
		"another step's number": fmt.Sprintf(good, `{"op":"mute","in":[0]}`),
		"a source that is none": fmt.Sprintf(good, `{"op":"mute","in":[-2]}`),
		"a far source":          fmt.Sprintf(good, `{"op":"mute","in":[-9223372036854775808]}`),
		"a choice that is none": fmt.Sprintf(good, `{"op":"rotate","in":[-1],"words":{"turn":"90,movie=x","flip":"none"}}`),
		"a number out of range": fmt.Sprintf(good, `{"op":"trim","in":[-1],"numbers":{"start":-1,"end":1}}`),
		"a huge picture":        strings.Replace(fmt.Sprintf(good, ``), `"width":1280`, `"width":100000`, 1),
		"no rate":               strings.Replace(fmt.Sprintf(good, ``), `"num":30`, `"num":0`, 1),
		"too many steps":        fmt.Sprintf(good, strings.Repeat(`{"op":"mute","in":[-1]},`, 200)+`{"op":"mute","in":[-1]}`),
		"too long":              strings.Repeat(" ", 65<<10),
	} {
		_, err := media.Parse(text)
		require.Error(t, err, name)
		require.NotEqual(t, node.CodeFailed, node.CodeOf(err), name)
	}
}

// FuzzParse checks that any recipe that parses gives a command. None of its texts may be
// part of the command, except the name of a node.
func FuzzParse(f *testing.F) {
	for _, r := range plans(f) {
		m, err := r.Media()
		require.NoError(f, err)
		f.Add(m.Recipe)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := media.Parse(text)
		if err != nil {
			return
		}
		c, err := media.Plan(&r, media.Interim(r.Facts))
		require.NoError(t, err)
		for _, bad := range []string{"movie", "/etc", "://", "\n", "'", "`", "$"} {
			graph := c.Graph
			for i := range r.Steps {
				graph = strings.ReplaceAll(graph, "@"+r.Steps[i].Node, "@")
				graph = strings.ReplaceAll(graph, ":font="+r.Steps[i].Words["font"], ":font=")
			}
			require.NotContains(t, graph, bad)
		}
		_, err = r.Media()
		if err != nil {
			require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
		}
	})
}

func BenchmarkPlan(b *testing.B) {
	r := clip("a.mp4")
	for i := range 20 {
		r = must(b, crop(float64(i%2), float64(1200-10*i), 700-float64(10*i)), r)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := media.Plan(&r, media.Interim(r.Facts)); err != nil {
			b.Fatal(err)
		}
	}
}
