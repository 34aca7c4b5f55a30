package app

import (
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediaai"
	"github.com/svcflow/svc/nodes/mediacore"
)

// newStudio returns an App that makes media, what looks at what it has made, and the folder
// of its files. It needs ffmpeg, and these programs.
func newStudio(t *testing.T, programs ...string) (a *App, facts func(value.Media) media.Facts, dir string) {
	t.Helper()
	for _, name := range append(programs, "ffmpeg") {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("there is no %s here: .ci/run installs it", name)
		}
	}
	dir = t.TempDir()
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir})
	require.NoError(t, err)
	tools := media.New(media.Config{Files: env.Files, HTTP: env.HTTP})
	a = newTestApp(t, Config{Env: env, ExtraPlugins: []node.Plugin{mediacore.New(tools), mediaai.New(mediaai.Config{Tools: tools})}})
	t.Cleanup(func() { require.NoError(t, a.Close(soon(t, 0))) })
	return a, func(m value.Media) media.Facts {
		ctx := node.WithWorkspace(t.Context(), &node.Workspace{Dir: path.Dir(m.Path)})
		found, err := tools.Probe(ctx, m.Path, m.Kind)
		require.NoError(t, err)
		return found.Facts
	}, dir
}

// The templates of videos and pictures run without any file of one's own.
func TestMediaTemplates(t *testing.T) {
	a, facts, _ := newStudio(t)
	for _, tt := range []struct {
		template, output string
		width, height    int
		seconds          float64
	}{
		{"clips-stitched", "video", 640, 360, 3.5},
		{"picture-in-picture", "video", 640, 360, 4},
		{"slideshow", "video", 640, 480, 6},
		{"image-edit", "picture", 400, 300, 0},
		{"captioned-video", "video", 640, 360, 6},
	} {
		t.Run(tt.template, func(t *testing.T) {
			found := facts(runTemplate(t, a, tt.template, nil, nil)[tt.output].(value.Media))
			require.Equal(t, [2]int{tt.width, tt.height}, [2]int{found.Width, found.Height})
			require.InDelta(t, tt.seconds, found.Duration, 0.1)
		})
	}
	t.Run("sync-calibration", func(t *testing.T) {
		require.Equal(t, record{"delay_ms": 150}, runTemplate(t, a, "sync-calibration", nil, nil)["delay"])
	})
}

// captionBrightness is how bright a video is at a time where captions stand, from 0 to 255.
func captionBrightness(t *testing.T, name, at string) int {
	t.Helper()
	out, err := exec.Command("ffmpeg", "-v", "error", "-nostdin", "-ss", at, "-i", name, "-frames:v", "1",
		"-vf", "crop=140:30:250:300,scale=1:1:flags=area", "-f", "rawvideo", "-pix_fmt", "gray", "-").Output()
	require.NoError(t, err)
	require.Len(t, out, 1)
	return int(out[0])
}

func TestCaptionedVideoTemplate(t *testing.T) {
	a, _, dir := newStudio(t)
	made := runTemplate(t, a, "captioned-video", record{"subtitles": "WEBVTT\n\n00:01.000 --> 00:02.000\nMMMMMM\n"}, nil)["video"].(value.Media)
	name := filepath.Join(dir, made.Path)
	require.Greater(t, captionBrightness(t, name, "1.5"), captionBrightness(t, name, "0.5")+20)
	require.Equal(t, captionBrightness(t, name, "0.5"), captionBrightness(t, name, "2.5"))
}

func TestNarratedSlidesTemplate(t *testing.T) {
	a, facts, dir := newStudio(t, "espeak-ng")
	short := runTemplate(t, a, "narrated-slides", record{"first": "One.", "second": "Two."}, nil)["video"].(value.Media)
	long := runTemplate(t, a, "narrated-slides", record{"first": "One.", "second": strings.Repeat("Two and three. ", 5)}, nil)["video"].(value.Media)
	require.True(t, facts(long).Sound)
	require.Equal(t, [2]int{640, 360}, [2]int{facts(long).Width, facts(long).Height})
	require.Greater(t, facts(long).Duration, 2*facts(short).Duration, "a slide stays for as long as it is spoken about")
	heard, err := exec.Command("ffmpeg", "-v", "info", "-nostdin", "-i", filepath.Join(dir, long.Path), "-af", "silencedetect=n=-40dB:d=2", "-f", "null", "-").CombinedOutput()
	require.NoError(t, err)
	require.NotContains(t, string(heard), "silence_start", "both slides are spoken about")
}

func TestReadPictureTemplate(t *testing.T) {
	a, _, _ := newStudio(t, "tesseract")
	require.Equal(t, "Invoice 42", runTemplate(t, a, "read-picture", nil, nil)["text"])
	outputs := runTemplate(t, a, "read-picture", record{"written": "Total 17"}, nil)
	require.Equal(t, "Total 17", outputs["text"])
	line := outputs["lines"].([]any)[0].(record)
	require.Equal(t, "Total 17", line["text"])
	require.Greater(t, line["confidence"], 0.5)
}

func TestPodcastCleanupTemplate(t *testing.T) {
	a, facts, _ := newStudio(t, "espeak-ng")
	outputs := runTemplate(t, a, "podcast-cleanup", nil, nil)
	made := outputs["audio"].(value.Media)
	require.Equal(t, "audio/mpeg", made.MIME)
	require.InDelta(t, 1700, outputs["removed_ms"], 500, "of the pause a margin stays on both sides")
	require.InDelta(t, -20, outputs["measured_lufs"], 15)
	require.Greater(t, facts(made).Duration, 1.5)
}

func TestVideoRenditionsTemplate(t *testing.T) {
	a, facts, dir := newStudio(t)
	outputs := runTemplate(t, a, "video-renditions", nil, nil)
	var heights []int
	for _, v := range outputs["videos"].([]any) {
		found := facts(v.(value.Media))
		require.InDelta(t, 4, found.Duration, 0.1)
		heights = append(heights, found.Height)
	}
	require.Equal(t, []int{720, 360, 180}, heights)
	require.FileExists(t, filepath.Join(dir, outputs["playlist"].(string)))
}
