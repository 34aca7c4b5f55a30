package httpapi_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
)

// rendering makes a service with media nodes and a given ffmpeg program.
func rendering(t *testing.T, ffmpeg string) service {
	t.Helper()
	scratch := t.TempDir()
	return newService(t, func(c *httpapi.Config) {
		c.EnvPlugins = func(env nodes.Env) []node.Plugin {
			tools := media.New(media.Config{Files: env.Files, Scratch: scratch, Getenv: func(name string) string {
				return map[string]string{"SVC_FFMPEG": ffmpeg}[name]
			}})
			return []node.Plugin{mediacore.New(tools)}
		}
	})
}

func TestMetricsOfMedia(t *testing.T) {
	ffmpeg, err := exec.LookPath("ffmpeg")
	if err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	const blank = `{"id":"b","nodes":[{"id":"n","type":"media.video_blank","config":{"width":64,"height":48,"duration_ms":2000}}],"connections":[]}`
	s := rendering(t, ffmpeg)
	requireFigures(t, s, `svc_media_renders_total{outcome="made"} 0`, `svc_media_made_seconds_total 0`)
	for range 2 {
		w := s.do("POST", "/execute", blank)
		require.Equal(t, http.StatusOK, w.Code)
		require.Contains(t, w.Body.String(), `"completed"`)
	}
	requireFigures(t, s,
		`svc_media_renders_total{outcome="made"} 2`,
		`svc_media_renders_total{outcome="failed"} 0`,
		`svc_media_running 0`,
		`svc_media_waiting 0`,
		`svc_media_made_seconds_total 4`,
	)
	require.NotContains(t, scrape(t, s), "svc_media_render_seconds_total 0\n")
	problems, err := promlint.New(strings.NewReader(scrape(t, s))).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)

	broken := filepath.Join(t.TempDir(), "ffmpeg")
	require.NoError(t, os.WriteFile(broken, []byte("#!/bin/sh\nexit 1\n"), 0o700))
	s = rendering(t, broken)
	require.Contains(t, s.do("POST", "/execute", blank).Body.String(), `"failed"`)
	requireFigures(t, s, `svc_media_renders_total{outcome="failed"} 1`, `svc_media_made_seconds_total 0`)
}
