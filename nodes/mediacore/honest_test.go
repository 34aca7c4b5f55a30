package mediacore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// Without ffmpeg or ffprobe in PATH, each node's error names the missing program.
func TestWithoutFFmpegNodesSayWhatIsMissing(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "64x64", "25", 1, false)
	const named = " is not there; install it (apt-get install ffmpeg), or name it in "
	for _, c := range []struct{ has, want string }{
		{"ffprobe", "ffmpeg" + named + "SVC_FFMPEG"},
		{"ffmpeg", "ffprobe" + named + "SVC_FFPROBE"},
		{"", "ffmpeg and ffprobe are not there; install them (apt-get install ffmpeg), or name them in SVC_FFMPEG and SVC_FFPROBE"},
	} {
		t.Run("with "+c.has, func(t *testing.T) {
			dir := t.TempDir()
			if c.has != "" {
				at, err := exec.LookPath(c.has)
				require.NoError(t, err)
				require.NoError(t, os.Symlink(at, filepath.Join(dir, c.has)))
			}
			t.Setenv("PATH", dir)
			s.open(nil)
			f := s.refused(chain(load(), encoded("a.mp4")))
			require.Equal(t, []string{"not_configured", c.want}, []string{f.Code, f.Message})
			f = s.refused(node1("media.video_blank", nil))
			require.Equal(t, c.want, f.Message)
			typ, _ := s.registry.Lookup("media.video_encode")
			require.Equal(t, c.want, typ.Spec.Unavailable)
		})
	}
}

// lacking simulates a build of ffmpeg without a feature, by a program that hides it.
func (s *studio) lacking(t *testing.T, what string) {
	t.Helper()
	stub := filepath.Join(t.TempDir(), "ffmpeg")
	text := "#!/bin/sh\ncase \" $* \" in\n*' -encoders '*|*' -filters '*) ffmpeg \"$@\" | grep -v -w -e '" + what + "' ;;\n*) exec ffmpeg \"$@\" ;;\nesac\n"
	require.NoError(t, os.WriteFile(stub, []byte(text), 0o700))
	s.vars["SVC_FFMPEG"] = stub
	s.open(nil)
}

// The error names the feature that a build lacks, before anything is done.
func TestABuildThatLacksSomethingSaysWhat(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "64x64", "25", 1, true)
	s.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x64:d=1:r=1", "-frames:v", "1", "in.png")
	video, image := file("video", "in.mp4"), file("image", "in.png")
	encoder := func(name string) string {
		return "this build of ffmpeg has no encoder " + name + "; install a complete one (apt-get install ffmpeg), or choose another codec"
	}
	filter := func(name, who string) string {
		return "this build of ffmpeg has no filter " + name + ", which " + who + " needs; install a complete one (apt-get install ffmpeg)"
	}
	captions := []any{record{"text": "Hello", "start_ms": 0, "end_ms": 500}}
	for _, c := range []struct {
		lacks string
		def   *workflow.Definition
		want  string
	}{
		{"libx264", chain(load(), encoded("a.mp4")), encoder("libx264")},
		{"libx264", node1("media.video_renditions", record{"video": video, "heights": []any{64}}), encoder("libx264")},
		{"libx265", node1("media.video_encode", record{"video": video, "codec": "hevc", "output_path": "a.mp4"}), encoder("libx265")},
		{"libsvtav1", node1("media.video_encode", record{"video": video, "codec": "av1", "output_path": "a.mkv"}), encoder("libsvtav1")},
		{"libvpx-vp9", node1("media.video_encode", record{"video": video, "codec": "vp9", "output_path": "a.webm"}), encoder("libvpx-vp9")},
		{"libmp3lame", node1("media.audio_encode", record{"audio": file("audio", "in.mp4"), "format": "mp3"}), encoder("libmp3lame")},
		{"libopus", node1("media.audio_encode", record{"audio": file("audio", "in.mp4"), "format": "opus"}), encoder("libopus")},
		{"libwebp", node1("media.image_encode", record{"image": image, "format": "webp"}), encoder("libwebp")},
		{"libwebp_anim", node1("media.video_gif", record{"video": video, "format": "webp", "width": 32}), encoder("libwebp_anim")},
		{"drawtext", chain(load(), titled("title", "Hello", "top"), encoded("a.mp4")), filter("drawtext", `the node "title"`)},
		{"drawtext", node1("media.image_text", record{"image": image, "text": "x"}), filter("drawtext", `the node "n"`)},
		{"ass", node1("media.caption_overlay", record{"video": video, "captions": captions}), filter("ass", `the node "n"`)},
		{"perspective", node1("media.ken_burns", record{"image": image}), filter("perspective", `the node "n"`)},
		{"silencedetect", node1("media.detect_silence", record{"source": video}), filter("silencedetect", "this node")},
		{"loudnorm", node1("media.audio_normalize", record{"source": video}), filter("loudnorm", "this node")},
		{"xfade", node1("media.video_stitch", record{"videos": []any{video, video}, "transition": "fade", "transition_ms": 200}), filter("xfade", `the node "n"`)},
	} {
		t.Run(c.lacks, func(t *testing.T) {
			s.lacking(t, c.lacks)
			f := s.refused(c.def)
			require.Equal(t, []string{"not_configured", c.want}, []string{f.Code, f.Message})
			require.Empty(t, s.left())
		})
	}
}
