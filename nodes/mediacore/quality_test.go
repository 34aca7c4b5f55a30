package mediacore_test

import (
	"maps"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// likeness compares a file with the result of filters on other files, frame by frame; 1 is
// identical. In the filters [1] and so on are the other files, and [ref] is the result.
func (s *studio) likeness(name, filters string, others ...string) float64 {
	s.t.Helper()
	args := []string{"-hide_banner", "-nostdin", "-i", name}
	for _, other := range others {
		args = append(args, "-i", other)
	}
	cmd := exec.Command("ffmpeg", append(args, "-filter_complex", filters+";[0:v]settb=1/1000,setpts=N,format=yuv420p[made];[ref]format=yuv420p,settb=1/1000,setpts=N[want];[made][want]ssim", "-f", "null", "-")...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	found := regexp.MustCompile(`SSIM .*All:([0-9.]+|inf)`).FindSubmatch(out)
	require.NotNil(s.t, found, "%s", out)
	got, err := strconv.ParseFloat(string(found[1]), 64)
	require.NoError(s.t, err)
	return got
}

// look is a node and the reference for its picture.
type look struct {
	typ    string
	config record
	ref    string // the filters of the reference; "" for the node's own lossless result
	others []string
}

// looks are the nodes whose pictures are compared.
func looks() []look {
	video, image, logo := file("video", "in.mp4"), file("image", "in.png"), file("image", "logo.png")
	both := func(on record, more record) record {
		maps.Copy(on, more)
		return on
	}
	v := func(more record) record { return both(record{"video": video}, more) }
	i := func(more record) record { return both(record{"image": image}, more) }
	return []look{
		{"media.video_trim", v(record{"start_ms": 400, "end_ms": 1200}), "[1]trim=start_frame=10:end_frame=30,setpts=PTS-STARTPTS[ref]", []string{"in.mp4"}},
		{"media.video_resize", v(record{"height": 120}), "[1]scale=160:120:flags=bicubic[ref]", []string{"in.mp4"}},
		{"media.video_crop", v(record{"x": 10, "y": 20, "width": 100, "height": 80}), "[1]crop=100:80:10:20:exact=1[ref]", []string{"in.mp4"}},
		{"media.video_rotate", v(record{"turn": "90"}), "[1]transpose=clock[ref]", []string{"in.mp4"}},
		{"media.video_adjust", v(record{"brightness": 0.1, "contrast": 1.2}), "[1]eq=brightness=0.1:contrast=1.2[ref]", []string{"in.mp4"}},
		{"media.video_fade", v(record{"in_ms": 400}), "[1]fade=t=in:st=0:d=0.4[ref]", []string{"in.mp4"}},
		{"media.video_speed", v(record{"speed": 2}), "[1]setpts=PTS/2,fps=25[ref]", []string{"in.mp4"}},
		{"media.video_rate", v(record{"fps": 10}), "[1]fps=10[ref]", []string{"in.mp4"}},
		{"media.video_text", v(record{"text": "Hello", "font_size": 32}), "[1]" + drawn("Hello", "h-text_h-24") + "[ref]", []string{"in.mp4"}},
		{"media.video_watermark", v(record{"mark": logo, "position": "top_left", "margin": 20}), "[1][2]overlay=20:20[ref]", []string{"in.mp4", "logo.png"}},
		{"media.video_compose", record{"base_video": video, "overlays": []any{record{
			"source": logo, "x": 30, "y": 40, "width": nil, "height": nil, "start_ms": 0, "end_ms": 0, "opacity": 1,
		}}}, "[1][2]overlay=30:40[ref]", []string{"in.mp4", "logo.png"}},
		{"media.video_sound", v(nil), "[1]null[ref]", []string{"in.mp4"}},
		{"media.video_stitch", record{"videos": []any{video, video}}, "[1][2]concat=n=2[ref]", []string{"in.mp4", "in.mp4"}},
		{"media.video_stitch", record{"videos": []any{video, video}, "transition": "wipe_left"}, "", nil},
		{"media.caption_overlay", v(record{"captions": []any{caption("Hello", 200, 1500)}}), "", nil},
		{"media.image_sequence_to_video", record{"images": []any{image, image}, "fps": 2, "output_fps": 10}, "[1]loop=9:1[ref]", []string{"in.png"}},
		{"media.ken_burns", record{"image": image, "width": 160, "height": 120}, "", nil},
		{"media.video_blank", record{"color": "#2E5E4E", "width": 160, "height": 120}, "color=0x2E5E4E:s=160x120:r=25:d=3[ref]", nil},
		{"media.image_resize", i(record{"width": 100, "height": 50}), "[1]scale=100:50:flags=bicubic[ref]", []string{"in.png"}},
		{"media.image_crop", i(record{"x": 3, "y": 5, "width": 101, "height": 51}), "[1]crop=101:51:3:5:exact=1[ref]", []string{"in.png"}},
		{"media.image_flip", i(nil), "[1]hflip[ref]", []string{"in.png"}},
		{"media.image_rotate", i(record{"turn": "270"}), "[1]transpose=cclock[ref]", []string{"in.png"}},
		{"media.image_adjust", i(record{"contrast": 1.5}), "[1]format=yuv444p,eq=contrast=1.5,format=rgb24[ref]", []string{"in.png"}},
		{"media.image_text", i(record{"text": "Hello", "font_size": 32}), "[1]" + drawn("Hello", "h-text_h-24") + "[ref]", []string{"in.png"}},
		{"media.image_overlay", i(record{"mark": logo, "position": "top_left", "margin": 20}), "[1][2]overlay=20:20[ref]", []string{"in.png", "logo.png"}},
		{"media.image_encode", i(record{"format": "webp", "quality": 95}), "[1]null[ref]", []string{"in.png"}},
		{"media.image_encode", i(record{"format": "jpeg", "quality": 98}), "[1]null[ref]", []string{"in.png"}},
		{"media.video_thumbnail", v(record{"at_ms": 1000, "width": 320, "format": "png"}), "[1]trim=start_frame=25:end_frame=26,setpts=PTS-STARTPTS[ref]", []string{"in.mp4"}},
		{"media.comparison_layout", record{"image_a": image, "image_b": logo, "label_a": "A", "label_b": "B", "width": 320, "height": 240}, "", nil},
	}
}

// The files of nodes look like a lossless reference that is made with filters, or, where
// that is impractical, like the node's own lossless result.
func TestEveryNodeLooksLikeItsReference(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "25", 2, true)
	s.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x240:r=1:d=1", "-frames:v", "1", "in.png")
	s.ffmpeg("-f", "lavfi", "-i", "testsrc=s=80x60:r=1:d=1", "-frames:v", "1", "logo.png")
	for _, c := range looks() {
		t.Run(strings.TrimPrefix(c.typ, "media."), func(t *testing.T) {
			port := "video"
			if _, spec := s.registry.Lookup(c.typ); spec && (strings.HasPrefix(c.typ, "media.image_") && !strings.HasSuffix(c.typ, "_video") || c.typ == "media.video_thumbnail" || c.typ == "media.comparison_layout") {
				port = "image"
			}
			made := s.media(node1(c.typ, c.config), port).Path
			ref, others := c.ref, c.others
			if ref == "" {
				r := s.made(&workflow.Definition{ID: "w", Nodes: []workflow.Node{
					{ID: "n", Type: c.typ, Config: c.config}, {ID: "out", Type: "media.render", Config: record{"lossless": true}},
				}, Connections: []workflow.Connection{{FromNodeID: "n", FromPort: port, ToNodeID: "out", ToPort: "source"}}})
				ref, others = "[1]null[ref]", []string{r.Nodes["out"].Outputs["media"].(value.Media).Path}
			}
			got := s.likeness(made, ref, others...)
			t.Logf("%-40s %.4f", c.typ, got)
			require.GreaterOrEqual(t, got, 0.99)
		})
	}
}
