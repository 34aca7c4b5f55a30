package mediacore_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// onsets returns the times at which a value exceeds a threshold after at least half a
// second below it, in seconds.
func onsets[T int16 | float64](all []T, rate float64, threshold T) (at []float64) {
	last := -rate
	for i, v := range all {
		if v < threshold && -v < threshold {
			continue
		}
		if float64(i)-last > rate/2 {
			at = append(at, float64(i)/rate)
		}
		last = float64(i)
	}
	return at
}

// Sound and picture stay in sync within half a frame, however many silences are cut.
func TestCutSilenceKeepsSoundAndPictureTogether(t *testing.T) {
	s := newStudio(t)
	const pieces, rate = 60, 24000.0 / 1001
	// Each piece has 0.7137 s of sound, with a flash and a click after 0.3 s.
	const heard, seen = "lt(mod(t,1.613),0.7137)", "between(mod(t,1.613),0.3,0.36)"
	s.ffmpeg("-f", "lavfi", "-i", "color=black:s=64x48:r=24000/1001:d=96.78,drawbox=t=fill:c=white:enable='"+seen+"'",
		"-f", "lavfi", "-i", "aevalsrc='sin(6283*t)*(0.1*"+heard+"+0.8*"+seen+")':s=48000:d=96.78", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "flac", "in.mkv")
	r := s.made(&workflow.Definition{ID: "w", Nodes: []workflow.Node{
		{ID: "cut", Type: "media.cut_silence", Config: record{"source": file("video", "in.mkv"), "margin_ms": 20}},
		{ID: "out", Type: "media.render", Config: record{"lossless": true}},
	}, Connections: []workflow.Connection{{FromNodeID: "cut", FromPort: "media", ToNodeID: "out", ToPort: "source"}}})
	require.Len(t, r.Nodes["cut"].Outputs["kept"], pieces)
	out := r.Nodes["out"].Outputs["media"].(value.Media).Path
	shift := func(name string) []float64 {
		flashes, clicks := onsets(s.brightness(name, ""), rate, 128), onsets(s.samples(name), 48_000, int16(10_000))
		require.Len(t, flashes, pieces)
		require.Len(t, clicks, pieces)
		for i := range clicks {
			clicks[i] -= flashes[i]
		}
		return clicks
	}
	before, after := shift("in.mkv"), shift(out)
	for i := range before {
		require.InDelta(t, before[i], after[i], 0.5/rate+0.001, "cut %d", i)
	}
	picture, sound := float64(len(s.brightness(out, "")))/rate, float64(len(s.samples(out)))/48_000
	require.InDelta(t, picture, sound, 0.005)
	require.InDelta(t, 96_780-picture*1000, r.Nodes["cut"].Outputs["removed_ms"], 45) // one frame
}

func TestSilencesAreFoundToTheMillisecond(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "aevalsrc='0.5*sin(6283*t)*(lt(t,1)+gt(t,2))':s=48000:d=3", "a.wav")
	r := s.made(node1("media.detect_silence", record{"source": file("audio", "a.wav")}))
	found := r.Nodes["n"].Outputs["silences"].([]any)
	require.Len(t, found, 1)
	require.InDelta(t, 1000, found[0].(record)["start_ms"], 1)
	require.InDelta(t, 2000, found[0].(record)["end_ms"], 1)
}
