package mediacore_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

// scenes makes a video of three colours, one second each.
func (s *studio) scenes(name string) {
	s.t.Helper()
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=160x90:r=25:d=1", "-f", "lavfi", "-i", "color=white:s=160x90:r=25:d=1", "-f", "lavfi", "-i", "color=navy:s=160x90:r=25:d=1",
		"-f", "lavfi", "-i", "sine=f=440:d=3", "-filter_complex", "[0][1][2]concat=n=3", "-pix_fmt", "yuv420p", name)
}

func TestScenesAndPicturesAreFoundToTheFrame(t *testing.T) {
	s := newStudio(t)
	s.scenes("in.mp4")
	video := file("video", "in.mp4")
	r := s.made(node1("media.detect_scenes", record{"video": video}))
	require.Equal(t, []any{1000.0, 2000.0}, r.Nodes["n"].Outputs["cuts_ms"])
	require.Equal(t, []any{record{"start_ms": 0.0, "end_ms": 1000.0}, record{"start_ms": 1000.0, "end_ms": 2000.0}, record{"start_ms": 2000.0, "end_ms": 3000.0}}, r.Nodes["n"].Outputs["scenes"])

	r = s.made(node1("media.video_frames", record{"video": video, "every_ms": 960, "times_ms": []any{1000, 999}, "width": 80}))
	require.Equal(t, []any{0.0, 960.0, 1000.0, 1920.0, 2880.0}, r.Nodes["n"].Outputs["times_ms"])
	images := r.Nodes["n"].Outputs["images"].([]any)
	for i, white := range []bool{false, false, true, true, false} {
		m := images[i].(value.Media)
		require.Equal(t, "image/jpeg", m.MIME)
		require.Equal(t, 80, s.probe(m.Path).Streams[0].Width)
		require.Equal(t, white, s.brightness(m.Path, "")[0] > 200, "picture %d", i)
	}
	f := s.refused(node1("media.video_frames", record{"video": video, "times_ms": []any{4000}}))
	require.Equal(t, "the video has 3000 ms; times_ms have to lie within that", f.Message)
	require.Empty(t, s.left())
}

func TestPicturesThatMove(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x180", "25", 2, true)
	for _, format := range []string{"gif", "webp"} {
		r := s.made(node1("media.video_gif", record{"video": file("video", "in.mp4"), "width": 160, "fps": 10, "format": format, "output_path": "a." + format}))
		require.Equal(t, value.Media{Kind: "image", MIME: "image/" + format, Path: "a." + format}, r.Nodes["n"].Outputs["image"])
		if format == "gif" { // ffmpeg cannot read animated WebP
			f := s.probe("a.gif")
			require.Equal(t, []any{160, 90, "20"}, []any{f.Streams[0].Width, f.Streams[0].Height, f.Streams[0].Frames})
		} else {
			text, err := os.ReadFile(s.file("a.webp"))
			require.NoError(t, err)
			require.Equal(t, 20, strings.Count(string(text), "ANMF"))
		}
	}
}

func TestRenditionsAreMadeAtOnce(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "640x360", "25", 3, true)
	// The trim makes the sound an output of the graph.
	r := s.made(chain(load(), trimmed(1000, 3000), step{id: "n", typ: "media.video_renditions", config: record{"heights": []any{1080, 360, 180}, "output_dir": "out"}}))
	require.Equal(t, []any{
		value.Media{Kind: "video", MIME: "video/mp4", Path: "out/360.mp4"}, value.Media{Kind: "video", MIME: "video/mp4", Path: "out/180.mp4"},
	}, r.Nodes["n"].Outputs["videos"])
	require.Nil(t, r.Nodes["n"].Outputs["playlist"])
	for name, width := range map[string]int{"out/360.mp4": 640, "out/180.mp4": 320} {
		f := s.probe(name)
		require.Equal(t, []any{width, "50"}, []any{f.Streams[f.of("video")].Width, f.Streams[f.of("video")].Frames})
		require.GreaterOrEqual(t, f.of("audio"), 0)
	}
	r = s.made(node1("media.video_renditions", record{"video": file("video", "in.mp4"), "heights": []any{360, 180}, "hls": true, "segment_ms": 1000}))
	list := *ptr[string](t, r.Nodes["n"].Outputs["playlist"])
	require.Regexp(t, `^\.runs/.+/n\.m3u8$`, list)
	text, err := os.ReadFile(s.file(list))
	require.NoError(t, err)
	require.Regexp(t, `(?m)^#EXT-X-STREAM-INF:BANDWIDTH=\d+,RESOLUTION=320x180\nn\.180\.m3u8$`, string(text))
	// ffprobe can read both playlists to the end.
	for _, name := range []string{list, strings.Replace(list, ".m3u8", ".180.m3u8", 1)} {
		cmd := exec.Command("ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", "-allowed_extensions", "ALL", s.file(name))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, "75", strings.Fields(string(out))[0])
	}
	part, err := os.ReadFile(s.file(strings.Replace(list, ".m3u8", ".180.m3u8", 1)))
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(part), "#EXTINF"))
	require.Empty(t, s.left())
}

func ptr[T any](t testing.TB, v any) *T {
	t.Helper()
	got, ok := v.(T)
	require.True(t, ok, "%v", v)
	return &got
}

func TestSubtitlesGoIntoAVideoAndOut(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "160x90", "25", 3, true)
	said := []any{record{"text": "One <b>\n{two}", "start_ms": 500.0, "end_ms": 1000.0}, record{"text": "Three", "start_ms": 2000.0, "end_ms": 2500.0}}
	for _, ending := range []string{"mp4", "mkv", "webm"} {
		s.made(node1("media.video_encode", record{
			"video": file("video", "in.mp4"), "subtitles": said, "codec": "auto", "bitrate": "auto", "speed": "fast", "output_path": "out." + ending,
			"timing": record{"video_delay_ms": 0, "audio_delay_ms": 0, "caption_offset_ms": 250},
		}))
		r := s.made(node1("media.subtitles_read", record{"video": file("video", "out."+ending)}))
		captions := r.Nodes["n"].Outputs["captions"].([]any)
		require.Len(t, captions, 2, ending)
		require.InDelta(t, 750, captions[0].(record)["start_ms"], 1, ending)
		require.InDelta(t, 2750, captions[1].(record)["end_ms"], 1)
		require.Equal(t, "One <b>\n{two}", strings.ReplaceAll(captions[0].(record)["text"].(string), "\u2060", ""), ending)
	}
	f := s.refused(node1("media.subtitles_read", record{"video": file("video", "in.mp4")}))
	require.Equal(t, `"in.mp4" has no subtitles of the number 0`, f.Message)
	write(t, s.file("old.srt"), "1\n00:00:00,000 --> 00:00:01,000\nGr\xfc\xdfe\n")
	r := s.made(node1("media.subtitles_read", record{"path": "old.srt"}))
	require.Equal(t, "Grüße", r.Nodes["n"].Outputs["captions"].([]any)[0].(record)["text"])
	f = s.refused(node1("media.subtitles_read", record{"path": "old.srt", "text": "x"}))
	require.Contains(t, f.Message, "give one of them")
}
