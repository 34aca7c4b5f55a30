package mediacore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
)

// graph is a workflow of nodes and wires, each written as "from.port to.port".
func graph(nodes map[string]step, wires ...string) *workflow.Definition {
	def := &workflow.Definition{ID: "graph"}
	for id, n := range nodes {
		def.Nodes = append(def.Nodes, workflow.Node{ID: id, Type: n.typ, Config: n.config})
	}
	for _, wire := range wires {
		from, to, _ := strings.Cut(wire, " ")
		c := workflow.Connection{}
		c.FromNodeID, c.FromPort, _ = strings.Cut(from, ".")
		c.ToNodeID, c.ToPort, _ = strings.Cut(to, ".")
		def.Connections = append(def.Connections, c)
	}
	return def
}

func does(typ string, config record) step { return step{typ: typ, config: config} }

// judged are tests for the nodes that are not covered by comparing pictures or timing
// sounds.
func judged() map[string]func(t *testing.T, s *studio) {
	return map[string]func(t *testing.T, s *studio){
		"videos of a list": func(t *testing.T, s *studio) {
			r := s.made(graph(map[string]step{
				"a": does("media.video_import", record{"path": "dark.mp4"}), "b": does("media.video_import", record{"path": "light.mp4"}),
				"list": does("media.videos_list", nil), "join": does("media.video_stitch", nil),
				"save": does("media.video_encode", record{"output_path": "joined.mp4"}), "shown": does("media.file_output", nil),
				"player": does("preview.media", nil), "facts": does("media.probe", nil),
			}, "a.video list.video1", "b.video list.video2", "list.videos join.videos", "join.video save.video", "save.file_path shown.file_path",
				"save.video player.source", "save.video facts.source"))
			frames := s.brightness("joined.mp4", "")
			require.Len(t, frames, 50)
			for i, b := range frames {
				require.Equal(t, i >= 25, b > 128, "frame %d: %v", i, b)
			}
			require.Equal(t, []any{"h264", 64, 48}, []any{s.probe("joined.mp4").Streams[0].Codec, s.probe("joined.mp4").Streams[0].Width, s.probe("joined.mp4").Streams[0].Height})
			require.Equal(t, "joined.mp4", r.Nodes["shown"].Outputs["file_path"])
			require.Equal(t, value.Media{Kind: "video", MIME: "video/mp4", Path: "joined.mp4"}, r.Nodes["player"].Outputs["source"])
			require.Equal(t, []any{2000.0, 64, 25.0}, []any{r.Nodes["facts"].Outputs["duration_ms"], r.Nodes["facts"].Outputs["width"], r.Nodes["facts"].Outputs["fps"]})
		},
		"pictures of a list": func(t *testing.T, s *studio) {
			r := s.made(graph(map[string]step{
				"a": does("media.image_import", record{"path": "black.png"}), "b": does("media.image_import", record{"path": "white.png"}),
				"list": does("media.images_list", nil), "show": does("media.image_sequence_to_video", record{"fps": 5, "output_fps": 25}),
				"save": does("media.render", record{"lossless": true}),
			}, "a.image list.image1", "b.image list.more", "list.images show.images", "show.video save.source"))
			frames := s.brightness(r.Nodes["save"].Outputs["media"].(value.Media).Path, "")
			require.Len(t, frames, 10)
			require.Less(t, frames[4], 1.0)
			require.Greater(t, frames[5], 254.0)
		},
		"sounds of a list": func(t *testing.T, s *studio) {
			s.made(graph(map[string]step{
				"a": does("media.audio_import", record{"path": "late.wav"}), "b": does("media.audio_import", record{"path": "late.wav"}),
				"list": does("media.audios_list", nil), "join": does("media.audio_concat", record{"gap_ms": 100}),
				"save": does("media.audio_encode", record{"output_path": "joined.wav"}),
			}, "a.audio list.audio1", "b.audio list.audio2", "list.audios join.audio_tracks", "join.audio save.audio"))
			at := begins(s.samples("joined.wav"))
			require.Len(t, at, 2)
			require.InDelta(t, 0.5, at[0], 0.001)
			require.InDelta(t, 1.6, at[1], 0.001)
		},
		"overlays of a list": func(t *testing.T, s *studio) {
			over := func(x, y, from int) step {
				return does("media.video_overlay", record{"source": file("image", "white.png"), "x": x, "y": y, "width": 16, "height": 16, "start_ms": from})
			}
			r := s.made(graph(map[string]step{
				"one": over(0, 0, 0), "two": over(48, 32, 400), "list": does("media.overlays_list", nil),
				"all": does("media.video_compose", record{"base_video": file("video", "dark.mp4")}), "save": does("media.render", record{"lossless": true}),
			}, "one.overlay list.overlay1", "two.overlay list.overlay2", "list.overlays all.overlays", "all.video save.source"))
			made := r.Nodes["save"].Outputs["media"].(value.Media).Path
			first, second, between := s.brightness(made, "12:12:2:2"), s.brightness(made, "12:12:50:34"), s.brightness(made, "16:16:24:16")
			require.Len(t, first, 25)
			for i := range first {
				require.Greater(t, first[i], 230.0)
				require.Equal(t, i >= 10, second[i] > 128, "frame %d", i)
				require.Less(t, between[i], 30.0)
			}
		},
		"points of a list": func(t *testing.T, s *studio) {
			s.made(graph(map[string]step{
				"one": does("media.sync_point", record{"source_ms": 0, "target_ms": 120}), "two": does("media.sync_point", record{"source_ms": 5000, "target_ms": 5180}),
				"list": does("media.sync_points_list", nil), "timing": does("media.timing_controller", record{"base_video": file("video", "late.mkv")}),
				"save": does("media.video_encode", record{"video": file("video", "late.mkv"), "output_path": "moved.mp4"}),
			}, "one.point list.point1", "two.point list.point2", "list.sync_points timing.sync_points", "timing.config save.timing"))
			at := begins(s.samples("moved.mp4"))
			require.Len(t, at, 1)
			require.InDelta(t, 0.65, at[0], 0.002)
		},
		"captions of words": func(t *testing.T, s *studio) {
			word := func(text string, from, to float64) record {
				return record{"text": text, "start_ms": from, "end_ms": to, "confidence": nil}
			}
			r := s.made(graph(map[string]step{
				"arrange": does("media.captions_arrange", record{"words": []any{word("Mmmm", 200, 400), word("mmmm.", 400, 600)}}),
				"write":   does("media.subtitles_write", record{"format": "srt"}), "read": does("media.subtitles_read", nil),
				"show": does("media.caption_overlay", record{"video": file("video", "dark.mp4"), "style_config": record{
					"font_family": "Sans", "font_size": 12, "text_color": "#FFFFFF", "background_color": nil, "outline_color": "#FFFFFF", "outline_width": 2, "shadow": 0,
					"bold": true, "italic": false, "alignment": "MiddleCenter", "margin_horizontal": 0, "margin_vertical": 0,
				}}), "save": does("media.render", record{"lossless": true}),
			}, "arrange.captions write.captions", "write.text read.text", "read.captions show.captions", "show.video save.source"))
			require.Equal(t, "1\n00:00:00,200 --> 00:00:00,600\nMmmm mmmm.", strings.TrimSpace(r.Nodes["write"].Outputs["text"].(string)))
			for i, b := range s.brightness(r.Nodes["save"].Outputs["media"].(value.Media).Path, "") {
				require.Equal(t, i >= 5 && i < 15, b > 24, "frame %d: %v", i, b)
			}
		},
		"pictures of a video": func(t *testing.T, s *studio) {
			video := file("video", "half.mp4")
			sheet := s.media(node1("media.contact_sheet", record{"video": video, "columns": 2, "rows": 1, "width": 64}), "image")
			require.Less(t, s.brightness(sheet.Path, "64:48:0:0")[0], 30.0)
			require.Greater(t, s.brightness(sheet.Path, "64:48:64:0")[0], 220.0)
			frames := s.made(node1("media.video_frames", record{"video": video, "times_ms": []any{960, 1000}})).Nodes["n"].Outputs["images"].([]any)
			require.Less(t, s.brightness(frames[0].(value.Media).Path, "")[0], 30.0)
			require.Greater(t, s.brightness(frames[1].(value.Media).Path, "")[0], 220.0)
			moving := s.brightness(s.media(node1("media.video_gif", record{"video": video, "width": 64, "fps": 10}), "image").Path, "")
			require.Len(t, moving, 20)
			require.True(t, moving[9] < 30 && moving[10] > 220, "%v", moving)
			scenes := s.made(node1("media.detect_scenes", record{"video": video})).Nodes["n"].Outputs
			require.Equal(t, []any{1000.0}, scenes["cuts_ms"])
			small := s.made(node1("media.video_renditions", record{"video": video, "heights": []any{24}})).Nodes["n"].Outputs["videos"].([]any)
			require.GreaterOrEqual(t, s.likeness(small[0].(value.Media).Path, "[1]scale=32:24:flags=bicubic[ref]", "half.mp4"), 0.99)
		},
		"silence": func(t *testing.T, s *studio) {
			source := file("audio", "late.wav") // a tone from 500 to 900 ms
			silences := s.made(node1("media.detect_silence", record{"source": source, "min_silence_ms": 300})).Nodes["n"].Outputs["silences"].([]any)
			require.Len(t, silences, 1)
			require.InDelta(t, 500, silences[0].(record)["end_ms"], 1)
			cut := s.made(node1("media.cut_silence", record{"source": source, "min_silence_ms": 300, "margin_ms": 100})).Nodes["n"].Outputs
			at := begins(s.samples(cut["media"].(value.Media).Path))
			require.Len(t, at, 1)
			require.InDelta(t, 0.1, at[0], 0.002)
			wave := s.media(node1("media.audio_waveform", record{"source": source, "width": 100, "height": 40, "color": "#FFFFFF"}), "image")
			require.Less(t, s.frames(wave.Path, "alphaextract,crop=40:40:5:0,scale=1:1:flags=area")[0], 20.0, "where it is silent")
			require.Greater(t, s.frames(wave.Path, "alphaextract,crop=30:40:55:0,scale=1:1:flags=area")[0], 60.0)
		},
		"loudness": func(t *testing.T, s *studio) {
			s.ffmpeg("-f", "lavfi", "-i", "sine=f=440:r=48000:d=4", "-af", "volume=-12dB", "-ac", "2", "tone.wav")
			m := s.made(node1("media.audio_normalize", record{"source": file("audio", "tone.wav"), "target_lufs": -20})).Nodes["n"].Outputs["media"].(value.Media)
			require.InDelta(t, -20, s.lufs(m.Path), 0.5)
		},
	}
}

// Every node runs in the engine at least once, and its result is checked: here, by
// comparing its picture, or by the timing of its sound.
func TestEveryNodeIsJudged(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=1", "-pix_fmt", "yuv420p", "dark.mp4")
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=64x48:r=25:d=1", "-pix_fmt", "yuv420p", "light.mp4")
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=2,drawbox=t=fill:c=white:enable=gte(t\\,1)", "-pix_fmt", "yuv420p", "half.mp4")
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=1:d=1", "-frames:v", "1", "black.png")
	s.ffmpeg("-f", "lavfi", "-i", "color=white:s=64x48:r=1:d=1", "-frames:v", "1", "white.png")
	const tone = "aevalsrc='0.8*sin(6283*t)*between(t,0.5,0.9)':s=48000:d=1"
	s.ffmpeg("-f", "lavfi", "-i", tone, "late.wav")
	s.ffmpeg("-i", "dark.mp4", "-f", "lavfi", "-i", tone, "-c:v", "copy", "-c:a", "flac", "late.mkv")
	for name, try := range judged() {
		t.Run(name, func(t *testing.T) { try(t, s) })
	}
	for _, c := range looks() {
		s.done[c.typ] = true
	}
	for _, c := range sounds() {
		s.done[c.typ] = true
	}
	registry, err := node.NewRegistry(mediacore.New(media.New(media.Config{})))
	require.NoError(t, err)
	for _, spec := range registry.Specs() {
		require.True(t, s.done[spec.Type], "nothing judges what %s makes: add it to judged, looks or sounds", spec.Type)
	}
	require.True(t, s.done["preview.media"])
	require.Empty(t, s.left())
}
