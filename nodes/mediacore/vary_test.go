package mediacore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// A variable frame rate stays in sync within one frame, however many silences are cut. The
// frames are converted to a constant rate.
func TestCutSilenceKeepsUnevenFramesWithTheirSound(t *testing.T) {
	for _, name := range []string{"in.mov", "in.mkv"} { // the header of the first shows the variable rate, that of the second does not
		t.Run(name, func(t *testing.T) { unevenly(t, name) })
	}
}

func unevenly(t *testing.T, name string) {
	s := newStudio(t)
	const pieces = 60
	// Some of 30 frames per second are missing, in an irregular pattern. Each piece has
	// 0.9137 s of sound, with a flash and a click after 0.3 s.
	const heard, seen = "lt(mod(t,1.613),0.9137)", "between(mod(t,1.613),0.3,0.5)"
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=30:d=96.78,drawbox=t=fill:c=white:enable='"+seen+"',select='not(eq(mod(n,5),2)+eq(mod(n,13),7))'",
		"-f", "lavfi", "-i", "aevalsrc='sin(6283*t)*(0.1*"+heard+"+0.8*"+seen+")':s=48000:d=96.78", "-vsync", "vfr", "-c:v", "libx264", "-preset", "ultrafast", "-bf", "0", "-c:a", "pcm_s16le", name)
	source, err := s.tools().Probe(t.Context(), name, "video")
	require.NoError(t, err)
	require.Equal(t, name == "in.mov", source.Variable)
	r := s.made(&workflow.Definition{ID: "w", Nodes: []workflow.Node{
		{ID: "cut", Type: "media.cut_silence", Config: record{"source": file("video", name), "margin_ms": 20}},
		{ID: "out", Type: "media.render", Config: record{"lossless": true}},
	}, Connections: []workflow.Connection{{FromNodeID: "cut", FromPort: "media", ToNodeID: "out", ToPort: "source"}}})
	require.Len(t, r.Nodes["cut"].Outputs["kept"], pieces)
	out := r.Nodes["out"].Outputs["media"].(value.Media).Path
	shift := func(name string) []float64 {
		const rate = 250 // frames per second, so flashes are located to four milliseconds
		flashes, clicks := onsets(s.frames(name, "fps=250,scale=1:1:flags=area"), rate, 128), onsets(s.samples(name), 48_000, int16(10_000))
		require.Len(t, flashes, pieces)
		require.Len(t, clicks, pieces)
		for i := range clicks {
			clicks[i] -= flashes[i]
		}
		return clicks
	}
	before, after := shift(name), shift(out)
	most := 0.0
	for i := range before {
		most = max(most, before[i]-after[i], after[i]-before[i])
		require.InDelta(t, before[i], after[i], 1/source.Facts.Rate.Float()+1.0/250, "cut %d", i)
	}
	t.Logf("%.1f ms at most, of a frame of %.1f", most*1000, 1000/source.Facts.Rate.Float())
}
