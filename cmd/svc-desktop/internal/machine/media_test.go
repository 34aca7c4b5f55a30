package machine_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/hosts"
	"github.com/svcflow/svc/ui/poster"
)

// Media is looked at and opened wherever it is.
func TestMediaIsLookedAtWhereItIs(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	t.Chdir(t.TempDir())
	u := newUser(t)
	m := u.open()
	server, err := m.Servers().Connect(t.Context(), serve(t, "", nil), key)
	require.NoError(t, err)
	for name, at := range map[string]hosts.Host{"this computer": m.Host(), "a server": server} {
		t.Run(name, func(t *testing.T) {
			video := film(t, at.Media)
			seen, err := poster.Make(t.Context(), at.Media, video)
			require.NoError(t, err)
			require.Regexp(t, `^2 s · 320 × 180 · 25 fps · h264 · `, seen.Facts)
			require.Equal(t, 640, seen.Picture.Bounds().Dx())
			if at.URL == "" {
				kept, err := filepath.Glob(filepath.Join(node.RunsDir, "*", "*"))
				require.NoError(t, err)
				require.Equal(t, []string{filepath.FromSlash(video.Path)}, kept, "what was made to look at is gone")
			}

			copied, err := poster.Fetch(t.Context(), at.Media, video, t.TempDir())
			require.NoError(t, err)
			text, err := os.ReadFile(copied)
			require.NoError(t, err)
			var whole bytes.Buffer
			require.NoError(t, at.Media.Read(t.Context(), video.Path, &whole))
			require.Equal(t, whole.Bytes(), text)

			_, err = poster.Make(t.Context(), at.Media, value.Media{Kind: "audio", MIME: "audio/wav", Path: "none.wav"})
			require.ErrorContains(t, err, "none.wav")
		})
	}
}

// film makes a video of two seconds.
func film(t *testing.T, at poster.Host) value.Media {
	t.Helper()
	done, err := at.Execute(t.Context(), &workflow.Definition{
		ID: "make",
		Nodes: []workflow.Node{
			{ID: "blank", Type: "media.video_blank", Config: map[string]any{"width": 320, "height": 180, "duration_ms": 2000}},
			{ID: "film", Type: "media.video_encode"},
		},
		Connections: []workflow.Connection{{FromNodeID: "blank", FromPort: "video", ToNodeID: "film", ToPort: "video"}},
	})
	require.NoError(t, err)
	require.Equal(t, engine.StatusCompleted, done.Status, "%+v", done.Error)
	v, err := value.Conform(done.Nodes["film"].Outputs["video"], value.MediaType())
	require.NoError(t, err)
	return v.(value.Media)
}
