//go:build e2e && linux

package e2e_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// filmed makes a second of video of nothing, and shows it; of another node only the steps are
// known.
const filmed = `{"id":"filmed","name":"Filmed","nodes":[
  {"id":"card","type":"media.video_blank","label":"Card","config":{"width":320,"height":240,"duration_ms":1000,"color":"#336699"}},
  {"id":"title","type":"media.video_text","label":"Title","config":{"text":"Hello","font_size":48,"position":"center"}},
  {"id":"show","type":"preview.media","label":"The film"},
  {"id":"still","type":"media.video_thumbnail","label":"Still","config":{"width":160}},
  {"id":"out","type":"io.output","config":{"name":"still"}}],
 "connections":[
  {"fromNodeId":"card","fromPort":"video","toNodeId":"title","toPort":"video"},
  {"fromNodeId":"title","fromPort":"video","toNodeId":"show","toPort":"source"},
  {"fromNodeId":"card","fromPort":"video","toNodeId":"still","toPort":"video"},
  {"fromNodeId":"still","fromPort":"image","toNodeId":"out","toPort":"value"}]}`

// TestPageMedia plays what a run has made, which the page fetches with its key.
func TestPageMedia(t *testing.T) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("there is no ffmpeg here: .ci/run installs it")
	}
	server := launch(t, start{})
	server.do(201, "POST", "/workflows", filmed)
	b := browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/workflows/filmed")
	b.press("▶ Start")
	b.see(".head .state", "completed")
	b.until(`document.querySelector('.media video')?.readyState >= 2`)
	require.Equal(t, "blob: 320 × 240 1", evaluate[string](b, `(({src, videoWidth, videoHeight, duration}) => [src.slice(0, 5), videoWidth + ' × ' + videoHeight, Math.round(duration)].join(' '))(document.querySelector('.media video'))`))
	b.see(".media figcaption", ".runs/")
	b.press("Show")
	b.until(`document.querySelector('.media img')?.naturalWidth === 160`)
	b.press("Card")
	b.see(".steps", "1 s · 320 × 240 · blank")
	b.picture("media")

	require.Equal(t, 1.0, evaluate[float64](b, `[...document.querySelectorAll('.media a[download]')].filter((one) => /^[^/]+\.mp4$/.test(one.download)).length`))
	require.NotContains(t, evaluate[string](b, `document.getElementById('main').textContent`), `"recipe"`, "what is to be made is never shown as JSON")
	b.clean()
	b.blameless(server.url)
}
