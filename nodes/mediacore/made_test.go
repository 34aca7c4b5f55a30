package mediacore_test

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

func caption(text string, start, end float64) record {
	return record{"text": text, "start_ms": start, "end_ms": end}
}

// Captions are visible in their frames, whatever their text is.
func TestCaptionsAreShownWhenTheyAreSaid(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=320x180:r=30:d=2", "-pix_fmt", "yuv420p", "base.mp4")
	style := func(change record) record {
		r := record{
			"font_family": "Sans", "font_size": 40, "text_color": "#FFFFFF", "background_color": nil, "outline_color": "#000000", "outline_width": 2, "shadow": 0,
			"bold": true, "italic": false, "alignment": "BottomCenter", "margin_horizontal": 10, "margin_vertical": 10,
		}
		maps.Copy(r, change)
		return r
	}
	for name, c := range map[string]struct {
		text  string
		style record
		area  string // where it is visible
	}{
		"at the bottom":    {"MMMM", style(nil), "160:50:80:130"},
		"at the top":       {"MMMM", style(record{"alignment": "TopCenter"}), "160:50:80:0"},
		"tags are letters": {`{\an8}MMMM`, style(nil), "160:50:80:130"},
		"so are others":    {`\{\an8}{\pos(0,0)}MM`, style(record{"font_size": 24}), "160:50:80:130"},
		"several lines":    {"MM\nMM\r\nMM", style(nil), "80:130:120:50"},
		"a box":            {".", style(record{"background_color": "#FFFFFF", "text_color": "#000000"}), "10:12:155:155"},
	} {
		t.Run(name, func(t *testing.T) {
			m := s.media(node1("media.caption_overlay", record{
				"video": file("video", "base.mp4"), "style_config": c.style, "captions": []any{caption(c.text, 500, 1000), caption(c.text, 1400, 1500)},
			}), "video")
			frames := s.brightness(m.Path, c.area)
			require.Len(t, frames, 60)
			for i, b := range frames {
				seen := i >= 15 && i < 30 || i >= 42 && i < 45
				require.Equal(t, seen, b > 20, "frame %d: %v", i, b)
			}
		})
	}
	f := s.refused(node1("media.caption_overlay", record{"video": file("video", "base.mp4"), "captions": []any{caption("x", 2, 1)}}))
	require.Equal(t, "caption 1 is shown from 2 to 1 ms, which cannot be; it has to end after it begins, and within a day", f.Message)
}

// A recipe that is too long for a value is rendered at once.
func TestManyCaptionsGoThrough(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "64x48", "25", 1, false)
	var all []any
	for i := range 1000 {
		all = append(all, caption(strings.Repeat("x", 100), float64(i), float64(i+1)))
	}
	r := s.made(chain(load(), step{id: "captions", typ: "media.caption_overlay", config: record{"captions": all}}, encoded("out.mp4")))
	require.NotEmpty(t, r.Nodes["captions"].Outputs["video"].(value.Media).Path)
}

// centres returns the horizontal position of the brightest part of each frame, in pixels.
func (s *studio) centres(name string, width, height int) (at []float64) {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", name, "-f", "rawvideo", "-pix_fmt", "gray", "-")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	require.NoError(s.t, err)
	for frame := range slices.Chunk(out, width*height) {
		sum, all := 0.0, 0.0
		for i, v := range frame {
			sum, all = sum+float64(v)*float64(i%width), all+float64(v)
		}
		at = append(at, sum/all)
	}
	return at
}

func TestAPictureIsMovedOverEvenly(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=640x360:r=1:d=1,format=gray,geq=lum='255*exp(-((X-400)*(X-400)+(Y-180)*(Y-180))/800)'", "-frames:v", "1", "dot.png")
	for pan, way := range map[string]float64{"center": 1, "left_to_right": -1, "right_to_left": 1} {
		r := s.made(&workflow.Definition{ID: "w", Nodes: []workflow.Node{
			{ID: "n", Type: "media.ken_burns", Config: record{
				"image": file("image", "dot.png"), "width": 320, "height": 180, "fps": 25, "zoom_start": 1.2, "zoom_end": 1.3, "pan_x": pan,
			}},
			{ID: "out", Type: "media.render", Config: record{"lossless": true}},
		}, Connections: []workflow.Connection{{FromNodeID: "n", FromPort: "video", ToNodeID: "out", ToPort: "source"}}})
		require.Equal(t, 2000.0, r.Nodes["n"].Outputs["duration_ms"])
		at := s.centres(r.Nodes["out"].Outputs["media"].(value.Media).Path, 320, 180)
		require.Len(t, at, 50)
		least, most := 100.0, -100.0
		for i := 1; i < len(at); i++ {
			least, most = min(least, at[i]-at[i-1]), max(most, at[i]-at[i-1])
		}
		require.Positive(t, way*least, pan)
		require.Less(t, most-least, 0.04, "%s: %v to %v", pan, least, most) // each within 0.02 of the mean
	}
}

func TestPicturesOfVideosAndSounds(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x180", "25", 2, true)
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=100x100:r=1:d=1", "-frames:v", "1", "white.png")
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=320x180:r=25:d=2,drawbox=t=fill:c=white:enable=gte(t\\,1)", "-pix_fmt", "yuv420p", "half.mp4")
	white, video := file("image", "white.png"), file("video", "in.mp4")
	for name, c := range map[string]struct {
		def           *workflow.Definition
		width, height int
	}{
		"a sheet":    {node1("media.contact_sheet", record{"video": file("video", "half.mp4"), "columns": 2, "rows": 2, "width": 64}), 128, 72},
		"a wave":     {node1("media.audio_waveform", record{"source": video, "width": 300, "height": 80}), 300, 80},
		"a spectrum": {node1("media.audio_waveform", record{"source": video, "width": 300, "height": 80, "style": "spectrum"}), 300, 80},
		"high": {node1("media.comparison_layout", record{
			"image_a": white, "image_b": white, "label_a": "A", "label_b": "B", "caption": "100 % {x}", "mascot": white, "width": 180, "height": 320,
			"style_config": record{"gap": 8, "label_size": 10, "caption_size": 12},
		}), 180, 320},
		"wide": {node1("media.comparison_layout", record{
			"image_a": white, "image_b": white, "label_a": "A", "label_b": "B", "style_config": record{"gap": 4, "label_size": 10}, "width": 320, "height": 180,
		}), 320, 180},
	} {
		t.Run(name, func(t *testing.T) {
			m := s.media(c.def, "image")
			v := s.probe(m.Path).Streams[0]
			require.Equal(t, []int{c.width, c.height}, []int{v.Width, v.Height})
			switch name {
			case "a sheet": // a frame of each quarter
				require.Less(t, s.brightness(m.Path, "128:36:0:0")[0], 30.0)
				require.Greater(t, s.brightness(m.Path, "128:36:0:36")[0], 220.0)
			case "high":
				require.Greater(t, s.brightness(m.Path, "20:20:80:80")[0], 200.0)
				require.Greater(t, s.brightness(m.Path, "20:20:130:290")[0], 200.0)
			}
		})
	}
	f := s.refused(node1("media.comparison_layout", record{"image_a": white, "image_b": white, "label_a": "", "label_b": "", "style_config": record{"font": "x"}}))
	require.Equal(t, "invalid_input", f.Code)
	f = s.refused(node1("media.audio_waveform", record{"source": file("video", "half.mp4")}))
	require.Equal(t, "no_audio", f.Code)
}

// Silences that are played fast keep sound and picture in sync.
func TestSilencesGoByFast(t *testing.T) {
	s := newStudio(t)
	const pieces, rate = 20, 25.0
	const heard, seen = "lt(mod(t,2.013),0.7137)", "between(mod(t,2.013),0.3,0.36)"
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=40.26,drawbox=t=fill:c=white:enable='"+seen+"'",
		"-f", "lavfi", "-i", "aevalsrc='sin(6283*t)*(0.1*"+heard+"+0.8*"+seen+")':s=48000:d=40.26", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "flac", "in.mkv")
	r := s.made(&workflow.Definition{ID: "w", Nodes: []workflow.Node{
		{ID: "cut", Type: "media.cut_silence", Config: record{"source": file("video", "in.mkv"), "margin_ms": 20, "speed": 5}},
		{ID: "out", Type: "media.render", Config: record{"lossless": true}},
	}, Connections: []workflow.Connection{{FromNodeID: "cut", FromPort: "media", ToNodeID: "out", ToPort: "source"}}})
	require.Len(t, r.Nodes["cut"].Outputs["kept"], pieces)
	out := r.Nodes["out"].Outputs["media"].(value.Media).Path
	flashes, clicks := onsets(s.brightness(out, ""), rate, 128), onsets(s.samples(out), 48_000, int16(10_000))
	require.Len(t, flashes, pieces)
	require.Len(t, clicks, pieces)
	before := onsets(s.brightness("in.mkv", ""), rate, 128)
	sounds := onsets(s.samples("in.mkv"), 48_000, int16(10_000))
	for i := range clicks {
		require.InDelta(t, sounds[i]-before[i], clicks[i]-flashes[i], 0.5/rate+0.001, "piece %d", i)
	}
	// The silences are played at five times the speed: 1.2593 s in each piece.
	require.InDelta(t, 40.26-pieces*1.2593*0.8, float64(len(s.brightness(out, "")))/rate, 0.1)
	require.InDelta(t, float64(len(s.brightness(out, "")))/rate, float64(len(s.samples(out)))/48_000, 0.005)
	f := s.refused(node1("media.cut_silence", record{"source": file("video", "in.mkv"), "speed": 0.5}))
	require.Equal(t, "speed is 0, which cuts, or from 1.1 to 100", f.Message, fmt.Sprint(f))
}

// The outline of letters has the same width on all sides. A misplaced outline shows as an
// arc inside them.
func TestLettersHaveAnEvenEdge(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "color=gray:s=200x200:r=1:d=1", "-frames:v", "1", "gray.png")
	for letter := range strings.FieldsSeq("u w v z Q g S O 8 ö") {
		m := s.media(node1("media.image_text", record{"image": file("image", "gray.png"), "text": letter, "font_size": 96, "position": "center"}), "image")
		cmd := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", m.Path, "-f", "rawvideo", "-pix_fmt", "gray", "-")
		cmd.Dir = s.dir
		out, err := cmd.Output()
		require.NoError(t, err)
		around := func(is func(byte) bool) (box [4]int) {
			box = [4]int{200, 200, -1, -1}
			for i, v := range out {
				if is(v) {
					box = [4]int{min(box[0], i%200), min(box[1], i/200), max(box[2], i%200), max(box[3], i/200)}
				}
			}
			return box
		}
		inner, outer := around(func(v byte) bool { return v > 160 }), around(func(v byte) bool { return v < 90 })
		for side := range 4 {
			require.InDelta(t, 2, (outer[side]-inner[side])*(side/2*2-1), 1, "side %d of %s", side, letter)
		}
	}
}
