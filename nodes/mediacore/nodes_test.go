package mediacore_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

func file(kind, path string) record { return record{"kind": kind, "mime": "", "path": path} }

// node1 is a workflow of one node.
func node1(typ string, config record) *workflow.Definition {
	return &workflow.Definition{ID: "one", Nodes: []workflow.Node{{ID: "n", Type: typ, Config: config}}}
}

func (s *studio) media(def *workflow.Definition, port string) value.Media {
	s.t.Helper()
	m, ok := s.made(def).Nodes["n"].Outputs[port].(value.Media)
	require.True(s.t, ok)
	return m
}

// brightness returns the mean brightness of each frame of a video, or of a part of it, from
// 0 to 255.
func (s *studio) brightness(name, crop string) []float64 {
	s.t.Helper()
	if crop != "" {
		crop = "crop=" + crop + ","
	}
	return s.frames(name, crop+"scale=1:1:flags=area")
}

// frames applies filters that reduce each frame to one pixel, and returns the pixels.
func (s *studio) frames(name, filters string) []float64 {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", name, "-vf", filters, "-f", "rawvideo", "-pix_fmt", "gray", "-")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	require.NoError(s.t, err)
	means := make([]float64, len(out))
	for i := range out {
		means[i] = float64(out[i])
	}
	return means
}

// samples returns the sound of a file, in mono at 48 kHz.
func (s *studio) samples(name string) []int16 {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-i", name, "-map", "0:a", "-ac", "1", "-ar", "48000", "-f", "s16le", "-")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	require.NoError(s.t, err)
	all := make([]int16, len(out)/2)
	require.NoError(s.t, binary.Read(bytes.NewReader(out[:len(all)*2]), binary.LittleEndian, all))
	return all
}

// loud returns the root mean square of a part of a sound, between two times in
// milliseconds.
func loud(all []int16, from, to int) float64 {
	part := all[min(len(all), from*48):min(len(all), to*48)]
	sum := 0.0
	for _, v := range part {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(max(1, len(part))))
}

func TestEveryVideoNodeDoesWhatItSays(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "25", 2, true)
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=40x20:r=1:d=1", "-frames:v", "1", "logo.png")
	video := file("video", "in.mp4")
	for _, c := range []struct {
		typ           string
		config        record
		width, height int
		frames        string
		sound         bool
	}{
		{"media.video_trim", record{"start_ms": 400, "end_ms": 1200}, 320, 240, "20", true},
		{"media.video_resize", record{"height": 120}, 160, 120, "50", true},
		{"media.video_crop", record{"width": 100, "height": 80}, 100, 80, "50", true},
		{"media.video_rotate", record{"turn": "90"}, 240, 320, "50", true},
		{"media.video_adjust", record{"brightness": 0.1, "blur": 2, "sharpen": 1, "denoise": 2, "grayscale": true, "gamma": 1.1}, 320, 240, "50", true},
		{"media.video_fade", record{"in_ms": 400, "out_ms": 400, "color": "white"}, 320, 240, "50", true},
		{"media.video_speed", record{"speed": 2}, 320, 240, "25", true},
		{"media.video_speed", record{"speed": 0.5, "keep_pitch": false}, 320, 240, "100", true},
		{"media.video_rate", record{"fps": 10}, 320, 240, "20", true},
		{"media.video_text", record{"text": `It's 100 % : [ok]; \ {x} %{pts}`, "background": "#00000080", "start_ms": 500}, 320, 240, "50", true},
		{"media.video_watermark", record{"mark": file("image", "logo.png"), "opacity": 0.5}, 320, 240, "50", true},
		{"media.video_sound", record{}, 320, 240, "50", false},
		{"media.video_stitch", record{}, 320, 240, "50", true},
		{"media.video_stitch", record{"width": 160, "height": 160, "fps": 50, "fit": "cover"}, 160, 160, "100", true},
	} {
		t.Run(c.typ, func(t *testing.T) {
			c.config["video"] = video
			if c.typ == "media.video_stitch" {
				delete(c.config, "video")
				c.config["videos"] = []any{video}
			}
			m := s.media(node1(c.typ, c.config), "video")
			require.Regexp(t, `^\.runs/`, m.Path)
			f := s.probe(m.Path)
			v := f.Streams[f.of("video")]
			require.Equal(t, []any{c.width, c.height, c.frames}, []any{v.Width, v.Height, v.Frames})
			require.Equal(t, c.sound, f.of("audio") >= 0)
		})
	}
	require.Empty(t, s.left())
}

// Clips of any size, rate and codec, one of them without sound, keep picture and sound in
// sync.
func TestStitchedClipsKeepTheirSoundWhereItWas(t *testing.T) {
	s := newStudio(t)
	s.clip("a.mp4", "320x240", "25", 1, true)
	s.clip("b.mp4", "160x160", "30", 1.5, false)
	s.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=200x100:r=24000/1001:d=2", "-f", "lavfi", "-i", "sine=f=880:r=44100:d=1.7", "-c:v", "libvpx", "-c:a", "libopus", "c.webm")
	for _, transition := range []string{"cut", "fade"} {
		r := s.made(&workflow.Definition{ID: "w", Nodes: []workflow.Node{
			{ID: "n", Type: "media.video_stitch", Config: record{
				"videos": []any{file("video", "a.mp4"), file("video", "b.mp4"), file("video", "c.webm")}, "transition": transition, "transition_ms": 200,
			}},
			{ID: "e", Type: "media.video_encode", Config: record{"output_path": transition + ".mp4", "bitrate": "auto"}},
		}, Connections: []workflow.Connection{{FromNodeID: "n", FromPort: "video", ToNodeID: "e", ToPort: "video"}}})
		out := r.Nodes["n"].Outputs
		f := s.probe(transition + ".mp4")
		require.Equal(t, strconv.Itoa(out["frame_count"].(int)), f.Streams[f.of("video")].Frames)
		picture, _ := strconv.ParseFloat(f.Streams[f.of("video")].Duration, 64)
		sound, _ := strconv.ParseFloat(f.Streams[f.of("audio")].Duration, 64)
		require.InDelta(t, picture, sound, 0.03)
		require.InDelta(t, out["duration_ms"], picture*1000, 40)
		if transition == "cut" {
			all := s.samples("cut.mp4")
			require.Greater(t, loud(all, 100, 950), 1000.0)
			require.Less(t, loud(all, 1050, 2450), 10.0, "the second clip is silent")
			require.Greater(t, loud(all, 2550, 4150), 1000.0)
			require.Less(t, loud(all, 4250, 4490), 10.0, "the third one's sound ends before its picture")
		}
	}
}

func TestOverlaysWithoutAnEndStayToTheEnd(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=200x100:r=25:d=2", "-pix_fmt", "yuv420p", "base.mp4")
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=40x40:r=1:d=1", "-frames:v", "1", "dot.png")
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=40x40:r=25:d=0.4", "-pix_fmt", "yuv420p", "dot.mp4")
	overlay := func(source record, start, end float64) record {
		return record{"source": source, "x": 10, "y": 10, "width": nil, "height": nil, "start_ms": start, "end_ms": end, "opacity": 1}
	}
	for name, c := range map[string]struct {
		overlay  record
		from, to int // the frames in which it is visible
	}{
		"a picture":           {overlay(file("image", "dot.png"), 0, 0), 0, 50},
		"from a moment on":    {overlay(file("image", "dot.png"), 1000, 0), 25, 50},
		"for a time":          {overlay(file("image", "dot.png"), 400, 1200), 10, 30},
		"a video that ends":   {overlay(file("video", "dot.mp4"), 0, 0), 0, 50},
		"a video, later":      {overlay(file("video", "dot.mp4"), 800, 0), 20, 50},
		"a video with an end": {overlay(file("video", "dot.mp4"), 800, 1000), 20, 25},
	} {
		t.Run(name, func(t *testing.T) {
			m := s.media(node1("media.video_compose", record{"base_video": file("video", "base.mp4"), "overlays": []any{c.overlay}}), "video")
			got := s.brightness(m.Path, "20:20:20:20")
			require.Len(t, got, 50)
			for i, b := range got {
				require.Equal(t, i >= c.from && i < c.to, b > 128, "frame %d: %v", i, b)
			}
		})
	}
}

// When only the sound of a video is replaced, the picture is copied: its packets are the
// same.
func TestAnotherSoundLeavesThePictureAsItIs(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "25", 2, true)
	s.ffmpeg("-f", "lavfi", "-i", "sine=f=200:d=1", "voice.wav")
	m := s.media(node1("media.video_sound", record{"video": file("video", "in.mp4"), "audio": file("audio", "voice.wav"), "offset_ms": 500}), "video")
	require.Equal(t, s.sums("in.mp4", "v"), s.sums(m.Path, "v"))
	all := s.samples(m.Path)
	require.InDelta(t, 2000, len(all)/48, 30, "the picture is not cut to the sound, nor the sound left long")
	require.Less(t, loud(all, 0, 480), 10.0)
	require.Greater(t, loud(all, 520, 1480), 1000.0)
	require.Less(t, loud(all, 1540, 1990), 10.0)
	loop := s.media(node1("media.video_sound", record{"video": file("video", "in.mp4"), "audio": file("audio", "voice.wav"), "loop": true, "mode": "mix", "duck": true}), "video")
	require.Greater(t, loud(s.samples(loop.Path), 1500, 1990), 1000.0)
}

func TestEverySoundNodeDoesWhatItSays(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "sine=f=440:r=48000:d=2", "a.wav")
	s.ffmpeg("-f", "lavfi", "-i", "sine=f=880:r=44100:d=1", "-ac", "2", "b.wav")
	a, b := file("audio", "a.wav"), file("audio", "b.wav")
	for _, c := range []struct {
		typ    string
		config record
		ms     float64
	}{
		{"media.audio_trim", record{"audio": a, "start_ms": 500, "end_ms": 1250}, 750},
		{"media.audio_adjust", record{"audio": a, "gain_db": -6, "fade_in_ms": 100, "fade_out_ms": 100, "high_pass_hz": 80, "denoise": 6}, 2000},
		{"media.audio_adjust", record{"audio": a, "speed": 4}, 500},
		{"media.audio_mix", record{"audio_tracks": []any{a, b}, "volumes": []any{0.5}, "offsets_ms": []any{0, 1500}}, 2500},
		{"media.audio_mix", record{"audio_tracks": []any{a, b}, "length": "shortest"}, 1000},
		{"media.audio_concat", record{"audio_tracks": []any{a, b}, "gap_ms": 500}, 3500},
		{"media.audio_concat", record{"audio_tracks": []any{a, b}, "crossfade_ms": 500}, 2500},
	} {
		t.Run(fmt.Sprint(c.typ, c.ms), func(t *testing.T) {
			m := s.media(node1(c.typ, c.config), "audio")
			require.InDelta(t, c.ms, float64(len(s.samples(m.Path)))/48, 40)
		})
	}
	// A track is not quieter because there are others.
	m := s.media(node1("media.audio_mix", record{"audio_tracks": []any{a, b}, "offsets_ms": []any{0, 1500}}), "audio")
	require.InEpsilon(t, loud(s.samples("a.wav"), 200, 1200), loud(s.samples(m.Path), 200, 1200), 0.02)
	for _, format := range []string{"wav", "mp3", "m4a", "flac", "ogg", "opus", "aac"} {
		r := s.made(node1("media.audio_encode", record{"audio": a, "output_path": "out." + format, "tags": record{"title": "A; b=c"}}))
		require.Equal(t, "out."+format, r.Nodes["n"].Outputs["file_path"])
		require.InDelta(t, 2000, float64(len(s.samples("out."+format)))/48, 80, format)
	}
}

// exif is a picture whose upper left part is white, with one of the eight orientations.
func (s *studio) exif(orientation int) string {
	s.t.Helper()
	undo := []string{"null", "hflip", "hflip,vflip", "vflip", "transpose=0", "transpose=cclock", "transpose=3", "transpose=clock"}[orientation-1]
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x32:r=1:d=1,drawbox=x=0:y=0:w=16:h=8:color=white:t=fill,"+undo, "-frames:v", "1", "-q:v", "2", "plain.jpg")
	plain, err := os.ReadFile(s.file("plain.jpg"))
	require.NoError(s.t, err)
	tiff := append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), byte(orientation), 0, 0, 0, 0, 0, 0)
	made := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(tiff) + 2)}, tiff...)
	name := fmt.Sprintf("o%d.jpg", orientation)
	require.NoError(s.t, os.WriteFile(s.file(name), append(made, plain[2:]...), 0o600))
	return name
}

func TestPicturesComeUpright(t *testing.T) {
	s := newStudio(t)
	for orientation := 1; orientation <= 8; orientation++ {
		r := s.made(chain(
			step{id: "load", typ: "media.image_import", config: record{"path": s.exif(orientation)}, out: "image"},
			step{id: "save", typ: "media.image_encode", config: record{"output_path": "up.png"}, in: "image"},
		))
		require.Equal(t, []any{64, 32}, []any{r.Nodes["load"].Outputs["width"], r.Nodes["load"].Outputs["height"]}, orientation)
		require.Greater(t, s.brightness("up.png", "8:4:2:2")[0], 200.0, orientation)
		require.Less(t, s.brightness("up.png", "8:4:50:2")[0], 50.0, orientation)
		require.Less(t, s.brightness("up.png", "8:4:2:26")[0], 50.0, orientation)
	}
}

func TestEveryPictureNodeDoesWhatItSays(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=200x100:r=1:d=1", "-frames:v", "1", "a.png")
	image := file("image", "a.png")
	for _, c := range []struct {
		typ           string
		config        record
		width, height int
	}{
		{"media.image_resize", record{"width": 100, "height": 0}, 100, 50},
		{"media.image_resize", record{"width": 100, "height": 100, "fit": "contain"}, 100, 100},
		{"media.image_crop", record{"x": 1, "y": 1, "width": 51, "height": 33}, 51, 33},
		{"media.image_flip", record{}, 200, 100},
		{"media.image_rotate", record{}, 100, 200},
		{"media.image_adjust", record{"contrast": 1.5, "grayscale": true}, 200, 100},
		{"media.image_text", record{"text": "x"}, 200, 100},
		{"media.image_overlay", record{"mark": image, "width": 50}, 200, 100},
	} {
		c.config["image"] = image
		m := s.media(node1(c.typ, c.config), "image")
		require.Equal(t, "image/png", m.MIME)
		v := s.probe(m.Path).Streams[0]
		require.Equal(t, []int{c.width, c.height}, []int{v.Width, v.Height}, c.typ)
	}
	for _, format := range []string{"png", "jpg", "webp"} {
		s.made(node1("media.image_encode", record{"image": image, "output_path": "out." + format}))
		require.Equal(t, 200, s.probe("out." + format).Streams[0].Width, format)
	}
}

func TestAVideoOfNothingOfPicturesAndPicturesOfAVideo(t *testing.T) {
	s := newStudio(t)
	blank := s.media(node1("media.video_blank", record{"color": "white", "duration_ms": 1000, "width": 64, "height": 48}), "video")
	require.Len(t, s.brightness(blank.Path, ""), 25)
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=1:d=1", "-frames:v", "1", "black.png")
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=96x48:r=1:d=1", "-frames:v", "1", "white.jpg")
	m := s.media(node1("media.image_sequence_to_video", record{"images": []any{file("image", "black.png"), file("image", "white.jpg")}, "fps": 2, "output_fps": 20}), "video")
	frames := s.brightness(m.Path, "20:20:20:20")
	require.Len(t, frames, 20)
	require.Less(t, frames[9], 30.0)
	require.Greater(t, frames[10], 220.0)
	r := s.made(node1("media.video_thumbnail", record{"video": file("video", m.Path), "at_ms": 600, "width": 32}))
	thumb := r.Nodes["n"].Outputs["image"].(value.Media)
	require.Greater(t, s.brightness(thumb.Path, "8:8:12:8")[0], 220.0)
}

func TestFactsAreToldBeforeAFileIsMade(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "25", 2, true)
	r := s.made(chain(load(), trimmed(0, 1000), step{id: "facts", typ: "media.probe", config: record{}, in: "source"}))
	require.Equal(t, record{
		"kind": "video", "duration_ms": 1000.0, "width": 320, "height": 240, "fps": 25.0, "streams": []any{}, "chapters": []any{}, "tags": record{}, "size_bytes": nil,
	}, r.Nodes["facts"].Outputs)
	r = s.made(chain(load(), step{id: "facts", typ: "media.probe", config: record{}, in: "source"}))
	require.Len(t, r.Nodes["facts"].Outputs["streams"], 2)
	require.NotNil(t, r.Nodes["facts"].Outputs["size_bytes"])
}

func TestSyncPointsGiveTheirMean(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "64x64", "25", 1, true)
	r := s.made(node1("media.timing_controller", record{"base_video": file("video", "in.mp4"), "sync_points": []any{
		record{"source_ms": 0, "target_ms": 120}, record{"source_ms": 5000, "target_ms": 5180},
	}}))
	config := r.Nodes["n"].Outputs["config"]
	require.Equal(t, record{"video_delay_ms": 0.0, "audio_delay_ms": 150.0, "caption_offset_ms": 0.0}, config)
	s.made(node1("media.video_encode", record{"video": file("video", "in.mp4"), "timing": config, "output_path": "late.mp4"}))
	all := s.samples("late.mp4")
	require.Less(t, loud(all, 0, 130), 10.0)
	require.Greater(t, loud(all, 170, 900), 1000.0)
}

func TestListsCarryRecipes(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "64x64", "25", 1, true)
	def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{
		{ID: "load", Type: "media.video_import", Config: record{"path": "in.mp4"}},
		{ID: "cut", Type: "media.video_trim", Config: record{"end_ms": 400}},
		{ID: "list", Type: "media.videos_list"},
		{ID: "join", Type: "media.video_stitch"},
		{ID: "end", Type: "media.video_encode", Config: record{"output_path": "out.mp4"}},
	}, Connections: []workflow.Connection{
		{FromNodeID: "load", FromPort: "video", ToNodeID: "cut", ToPort: "video"},
		{FromNodeID: "cut", FromPort: "video", ToNodeID: "list", ToPort: "video1"},
		{FromNodeID: "load", FromPort: "video", ToNodeID: "list", ToPort: "video2"},
		{FromNodeID: "list", FromPort: "videos", ToNodeID: "join", ToPort: "videos"},
		{FromNodeID: "join", FromPort: "video", ToNodeID: "end", ToPort: "video"},
	}}
	r := s.made(def)
	require.NotEmpty(t, r.Nodes["list"].Outputs["videos"].([]any)[0].(value.Media).Recipe)
	f := s.probe("out.mp4")
	require.Equal(t, "35", f.Streams[f.of("video")].Frames)
}
