package app

import (
	"os/exec"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
)

// The templates of videos and pictures run without any file of one's own.
func TestMediaTemplates(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: t.TempDir()})
	require.NoError(t, err)
	tools := media.New(media.Config{Files: env.Files, HTTP: env.HTTP})
	a := newTestApp(t, Config{Env: env, ExtraPlugins: []node.Plugin{mediacore.New(tools)}})
	defer func() { require.NoError(t, a.Close(soon(t, 0))) }()
	for _, tt := range []struct {
		template, output string
		width, height    int
		seconds          float64
	}{
		{"clips-stitched", "video", 640, 360, 3.5},
		{"picture-in-picture", "video", 640, 360, 4},
		{"slideshow", "video", 640, 480, 6},
		{"image-edit", "picture", 400, 300, 0},
	} {
		t.Run(tt.template, func(t *testing.T) {
			made := runTemplate(t, a, tt.template, nil, nil)[tt.output].(value.Media)
			ctx := node.WithWorkspace(t.Context(), &node.Workspace{Dir: path.Dir(made.Path)})
			found, err := tools.Probe(ctx, made.Path, made.Kind)
			require.NoError(t, err)
			require.Equal(t, [2]int{tt.width, tt.height}, [2]int{found.Facts.Width, found.Facts.Height})
			require.InDelta(t, tt.seconds, found.Facts.Duration, 0.1)
		})
	}
	t.Run("sync-calibration", func(t *testing.T) {
		require.Equal(t, record{"delay_ms": 150}, runTemplate(t, a, "sync-calibration", nil, nil)["delay"])
	})
}
