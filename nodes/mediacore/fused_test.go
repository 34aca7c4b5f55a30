package mediacore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/nodes/media"
)

// tools returns the tools of a studio, without nodes.
func (s *studio) tools() *media.Tools {
	return media.New(media.Config{Files: s.env.Files, Scratch: s.scratch, Getenv: func(name string) string { return s.vars[name] }})
}

func load() step {
	return step{id: "load", typ: "media.video_import", config: record{"path": "in.mp4"}}
}

func trimmed(from, to int) step {
	return step{id: "cut", typ: "media.video_trim", config: record{"start_ms": from, "end_ms": to}}
}

func cropped(x, y, w, h int) step {
	return step{id: "crop", typ: "media.video_crop", config: record{"x": x, "y": y, "width": w, "height": h}}
}

func resized(config record) step { return step{id: "size", typ: "media.video_resize", config: config} }

func encoded(name string) step {
	return step{id: "encode", typ: "media.video_encode", config: record{"output_path": name, "bitrate": "auto", "speed": "fast", "audio_bitrate": 128000}}
}

func adjusted(id string, config record) step {
	return step{id: id, typ: "media.video_adjust", config: config}
}

func titled(id, text, position string) step {
	return step{id: id, typ: "media.video_text", config: record{"text": text, "position": position, "font_size": 32}}
}

func drawn(text, y string) string {
	at := func(color string, dx, dy int) string {
		return fmt.Sprintf("drawtext=text=%s:font=Sans:fontsize=32:fontcolor=%s:x=(w-text_w)/2%+d:y=%s%+d", text, color, dx, y, dy)
	}
	dark := func(dx, dy int) string {
		return at("black", dx, dy) + fmt.Sprintf(":shadowcolor=black:shadowx=%d:shadowy=%d,", -2*dx, -2*dy)
	}
	return dark(-2, 0) + dark(0, -2) + dark(-1, -1) + dark(1, -1) + at("white", 0, 0)
}

func faded() step { return step{id: "fade", typ: "media.video_fade", config: record{"in_ms": 500}} }

// handmade are chains with the commands that an expert would write by hand.
func handmade() map[string]struct {
	steps []step
	seek  string
	graph string // with the outputs v for the picture and a for the sound
} {
	type hand = struct {
		steps []step
		seek  string
		graph string
	}
	return map[string]hand{
		"trim":             {[]step{trimmed(1000, 3000)}, "-ss 1 -t 2", ""},
		"crop":             {[]step{cropped(40, 20, 320, 240)}, "", "[0:v]crop=320:240:40:20:exact=1[v]"},
		"resize":           {[]step{resized(record{"width": 320, "height": 180})}, "", "[0:v]scale=320:180:flags=bicubic,setsar=1[v]"},
		"bars":             {[]step{resized(record{"width": 360, "height": 360})}, "", "[0:v]scale=360:202:flags=bicubic,setsar=1,pad=360:360:0:79:black[v]"},
		"cover":            {[]step{resized(record{"width": 200, "height": 200, "fit": "cover"})}, "", "[0:v]scale=356:200:flags=bicubic,setsar=1,crop=200:200:78:0:exact=1[v]"},
		"trim, crop":       {[]step{trimmed(500, 2500), cropped(0, 0, 400, 300)}, "-ss 0.5 -t 2", "[0:v]crop=400:300:0:0:exact=1[v]"},
		"trim, resize":     {[]step{trimmed(2000, 4000), resized(record{"width": 320})}, "-ss 2 -t 2", "[0:v]scale=320:180:flags=bicubic,setsar=1[v]"},
		"crop, resize":     {[]step{cropped(80, 0, 480, 360), resized(record{"width": 320})}, "", "[0:v]crop=480:360:80:0:exact=1,scale=320:240:flags=bicubic,setsar=1[v]"},
		"trim, crop, size": {[]step{trimmed(1000, 3000), cropped(80, 0, 480, 360), resized(record{"height": 120})}, "-ss 1 -t 2", "[0:v]crop=480:360:80:0:exact=1,scale=160:120:flags=bicubic,setsar=1[v]"},
		"crop, trim":       {[]step{cropped(80, 0, 480, 360), trimmed(1000, 3000)}, "", "[0:v]crop=480:360:80:0:exact=1,trim=1:3,setpts=PTS-STARTPTS[v];[0:a]atrim=1:3,asetpts=PTS-STARTPTS[a]"},
		"six": {
			[]step{trimmed(1000, 3000), cropped(80, 0, 480, 360), resized(record{"width": 320}), adjusted("light", record{"contrast": 1.1}), titled("title", "Hello", "bottom"), faded()},
			"-ss 1 -t 2", "[0:v]crop=480:360:80:0:exact=1,scale=320:240:flags=bicubic,setsar=1,eq=contrast=1.1," + drawn("Hello", "h-text_h-24") + ",fade=t=in:st=0:d=0.5[v];[0:a]afade=t=in:st=0:d=0.5[a]",
		},
		"ten": {
			[]step{
				trimmed(1000, 3000), cropped(80, 0, 480, 360), resized(record{"width": 320}), adjusted("light", record{"contrast": 1.1}), titled("title", "Hello", "bottom"), faded(),
				{id: "turn", typ: "media.video_rotate", config: record{"turn": "180"}},
				adjusted("soft", record{"blur": 1}),
				{id: "rate", typ: "media.video_rate", config: record{"fps": 15}},
				titled("more", "World", "top"),
			},
			"-ss 1 -t 2", "[0:v]crop=480:360:80:0:exact=1,scale=320:240:flags=bicubic,setsar=1,eq=contrast=1.1," + drawn("Hello", "h-text_h-24") +
				",fade=t=in:st=0:d=0.5,hflip,vflip,gblur=sigma=1,fps=15," + drawn("World", "24") + "[v];[0:a]afade=t=in:st=0:d=0.5[a]",
		},
	}
}

func TestChainsAreWhatIsWrittenByHand(t *testing.T) {
	s := newStudio(t)
	s.vars["SVC_MEDIA_PROCESSES"] = strconv.Itoa(runtime.GOMAXPROCS(0)) // one thread each, so that encoding is reproducible
	s.open(nil)
	s.clip("in.mp4", "640x360", "30", 4, true)
	all := handmade()
	for _, name := range trials.Today(t).Of("handmade", slices.Collect(maps.Keys(all)), 3) {
		c := all[name]
		t.Run(name, func(t *testing.T) {
			s.made(chain(append(append([]step{load()}, c.steps...), encoded("a.mp4"))...))
			s.ffmpeg(byHand(c.seek, c.graph, "b.mp4", 1)...)
			require.Equal(t, s.sums("b.mp4", "v"), s.sums("a.mp4", "v"))
			require.Equal(t, s.sums("b.mp4", "a"), s.sums("a.mp4", "a"))
		})
	}
}

// byHand is a complete command with fixed encoder settings.
func byHand(seek, graph, out string, threads int) []string {
	args := append(strings.Fields(seek), "-i", "in.mp4")
	v, a := "0:v", "0:a"
	if graph != "" {
		args = append(args, "-filter_complex", graph)
	}
	if strings.Contains(graph, "[v]") {
		v = "[v]"
	}
	sound := []string{"-c:a", "aac", "-b:a", "128k"}
	if strings.Contains(graph, "[a]") {
		a = "[a]"
	} else if seek == "" {
		sound = []string{"-c:a", "copy"}
	}
	args = append(args, "-map", v, "-map", a, "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-pix_fmt", "yuv420p",
		"-threads", strconv.Itoa(threads))
	return append(append(args, sound...), "-movflags", "+faststart", out)
}

// A chain has the same frames as its steps run one by one with lossless files in between.
func TestChainsAreWhatTheirStepsAreOneByOne(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "160x120", "24000/1001", 3, true)
	s.clip("other.mp4", "96x64", "25", 2, false)
	tools := s.tools()
	for seed := range uint64(trials.Count(t, trials.Kills, 2)) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			g := rand.New(rand.NewPCG(seed, 17))
			in, err := tools.Probe(t.Context(), "in.mp4", "video")
			require.NoError(t, err)
			other, err := tools.Probe(t.Context(), "other.mp4", "video")
			require.NoError(t, err)
			fused, apart := media.Of(in), media.Of(in)
			for i := range 1 + g.IntN(6) {
				next, with := anyStep(g, fused.Facts)
				on := []media.Recipe{media.Of(other)}[:with]
				fused, err = media.Then(next, append([]media.Recipe{fused}, on...)...)
				require.NoError(t, err, "%+v", next)
				apart, err = media.Then(next, append([]media.Recipe{apart}, on...)...)
				require.NoError(t, err, "%+v", next)
				name := fmt.Sprintf("step%d-%d.mov", seed, i)
				_, err = tools.Render(t.Context(), &apart, exact(apart.Facts), name)
				require.NoError(t, err, "%+v", next)
				made, err := tools.Probe(t.Context(), name, "video")
				require.NoError(t, err)
				require.Equal(t, fused.Facts.Frames(), made.Facts.Frames(), "%+v", next)
				apart = media.Of(made)
			}
			whole := fmt.Sprintf("whole%d.mov", seed)
			_, err = tools.Render(t.Context(), &fused, exact(fused.Facts), whole)
			require.NoError(t, err)
			same(t, s.sums(apart.Sources[0].Path, "v"), s.sums(whole, "v"))
		})
	}
	require.Empty(t, s.left())
}

// exact is a lossless target that keeps timestamps.
func exact(f media.Facts) media.Target {
	t := media.Lossless(f)
	t.Format = "mov"
	return t
}

// same compares frames, and their times to the millisecond, the precision of the container.
func same(t *testing.T, want, got []string) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		wantAt, wantSum, _ := strings.Cut(want[i], " ")
		gotAt, gotSum, _ := strings.Cut(got[i], " ")
		a, err := strconv.Atoi(wantAt)
		require.NoError(t, err)
		b, err := strconv.Atoi(gotAt)
		require.NoError(t, err)
		require.InDelta(t, a, b, 1, "frame %d", i)
		require.Equal(t, wantSum, gotSum, "frame %d", i)
	}
}

// anyStep returns a random step that can be applied to a clip, and the number of its other
// inputs.
func anyStep(g *rand.Rand, f media.Facts) (s media.Step, others int) {
	between := func(low, high int) float64 { return float64(low + g.IntN(max(1, high-low))) }
	switch g.IntN(9) {
	case 0:
		start := g.Float64() * f.Duration / 2
		return media.Step{Op: "trim", Numbers: map[string]float64{"start": start, "end": start + 2/f.Rate.Float() + g.Float64()*(f.Duration/2-2/f.Rate.Float())}}, 0
	case 1:
		w, h := f.Width-2*g.IntN(max(1, f.Width/2-16)), f.Height-2*g.IntN(max(1, f.Height/2-16))
		return media.Step{Op: "crop", Numbers: map[string]float64{"x": 2 * float64(g.IntN((f.Width-w)/2+1)), "y": 2 * float64(g.IntN((f.Height-h)/2+1)), "width": float64(w), "height": float64(h)}}, 0
	case 2:
		return media.Step{
			Op: "resize", Numbers: map[string]float64{"width": 2 * between(16, 80), "height": 2 * between(16, 80)},
			Words: map[string]string{"fit": []string{"contain", "cover", "stretch"}[g.IntN(3)], "background": "#204060"},
		}, 0
	case 3:
		return media.Step{Op: "rotate", Words: map[string]string{"turn": []string{"90", "180", "270"}[g.IntN(3)], "flip": []string{"none", "horizontal", "vertical"}[g.IntN(3)]}}, 0
	case 4:
		return media.Step{Op: "fade", Numbers: map[string]float64{"in": f.Duration / 4, "out": f.Duration / 4}, Words: map[string]string{"color": "#000000", "sound": "yes"}}, 0
	case 5:
		return media.Step{
			Op: "adjust", Words: map[string]string{"grayscale": "no"},
			Numbers: map[string]float64{"brightness": 0.1, "contrast": 1.2, "saturation": 1.1, "gamma": 1, "sharpen": 0.5, "blur": between(0, 3), "denoise": 0},
		}, 0
	case 6:
		return media.Step{
			Op: "text", Text: "It's", Numbers: map[string]float64{"margin": 2, "size": 12, "start": f.Duration / 4, "end": f.Duration / 2},
			Words: map[string]string{"position": "top", "font": "Sans", "color": "#FFFFFF", "background": "transparent"},
		}, 0
	case 7:
		s = media.DefaultStyle().Step()
		s.Numbers["size"], s.Spans = 12, []media.Span{{Start: f.Duration / 4, End: f.Duration / 2, Text: "said"}}
		return s, 0
	default:
		return media.Step{Op: "overlay", Numbers: map[string]float64{
			"x": between(0, 20), "y": between(0, 20), "width": 32, "height": 24, "start": 0, "end": 0, "opacity": 1,
		}}, 1
	}
}
