package mediacore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
)

func TestAChainIsMadeByItsLastNode(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "640x360", "30", 4, true)
	r := s.made(chain(
		step{id: "load", typ: "media.video_import", config: record{"path": "in.mp4"}},
		step{id: "cut", typ: "media.video_trim", config: record{"start_ms": 1000, "end_ms": 3000}},
		step{id: "crop", typ: "media.video_crop", config: record{"x": 80, "width": 480, "height": 360}},
		step{id: "size", typ: "media.video_resize", config: record{"width": 320}},
		step{id: "encode", typ: "media.video_encode", config: record{"output_path": "out/a.mp4", "bitrate": "auto"}},
	))
	require.NotEmpty(t, r.Nodes["size"].Outputs["video"].(value.Media).Recipe, "nothing is made before the end")
	require.Equal(t, value.Media{Kind: "video", MIME: "video/mp4", Path: "out/a.mp4"}, r.Nodes["encode"].Outputs["video"])
	require.Equal(t, record{"width": 320, "height": 240}, record{"width": r.Nodes["size"].Outputs["width"], "height": r.Nodes["size"].Outputs["height"]})
	f := s.probe("out/a.mp4")
	require.Len(t, f.Streams, 2)
	v := f.Streams[f.of("video")]
	require.Equal(t, []any{320, 240, "60", "h264"}, []any{v.Width, v.Height, v.Frames, v.Codec})
	require.Equal(t, "aac", f.Streams[f.of("audio")].Codec)
	require.Empty(t, s.left())
}
