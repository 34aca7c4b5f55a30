package mediacore_test

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
)

// sound is a node and the time at which its sound must begin.
type sound struct {
	name, typ, port string
	config          record
	at              []float64
}

// sounds are the nodes whose timing is checked.
func sounds() []sound {
	audio, video := file("audio", "a.wav"), file("video", "in.mkv")
	return []sound{
		{"trim", "media.audio_trim", "audio", record{"audio": audio, "start_ms": 500}, []float64{0.5, 2}},
		{"adjust", "media.audio_adjust", "audio", record{"audio": audio, "gain_db": -3, "high_pass_hz": 40}, []float64{1, 2.5}},
		{"concat", "media.audio_concat", "audio", record{"audio_tracks": []any{audio, audio}, "gap_ms": 750}, []float64{1, 2.5, 5.75, 7.25}},
		{"mix", "media.audio_mix", "audio", record{"audio_tracks": []any{audio, audio}, "offsets_ms": []any{0, 750}}, []float64{1, 1.75, 2.5, 3.25}},
		{"extract", "media.audio_extract", "audio", record{"video": video}, []float64{1, 2.5}},
		{"trim of a video", "media.video_trim", "video", record{"video": video, "start_ms": 800}, []float64{0.2, 1.7}},
		{"sound of a video", "media.video_sound", "video", record{"video": video, "audio": audio, "offset_ms": 333}, []float64{1.333, 2.833}},
		{"sound beside that of a video", "media.video_sound", "video", record{"video": video, "audio": audio, "offset_ms": 750, "mode": "mix"}, []float64{1, 1.75, 2.5, 3.25}},
		{"videos", "media.video_stitch", "video", record{"videos": []any{video, video}}, []float64{1, 2.5, 5, 6.5}},
	}
}

// Sound begins within a millisecond of the expected time, in lossless and in lossy formats.
func TestSoundBeginsToTheMillisecond(t *testing.T) {
	s := newStudio(t)
	// A tone from 1 s to 1.2 s, and from 2.5 s to 2.7 s.
	const tone = "aevalsrc='0.8*sin(6283*t)*(between(t,1,1.2)+between(t,2.5,2.7))':s=48000:d=4"
	s.ffmpeg("-f", "lavfi", "-i", tone, "a.wav")
	s.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4", "-f", "lavfi", "-i", tone, "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "flac", "in.mkv")
	for _, c := range sounds() {
		t.Run(c.name, func(t *testing.T) {
			encodings := []string{""}
			if c.name == "trim" || c.name == "mix" {
				encodings = []string{"", "m4a", "mp3", "opus"}
			}
			for _, encoded := range encodings {
				def := &workflow.Definition{ID: "w", Nodes: []workflow.Node{
					{ID: "n", Type: c.typ, Config: c.config}, {ID: "out", Type: "media.render", Config: record{"lossless": true}},
				}, Connections: []workflow.Connection{{FromNodeID: "n", FromPort: c.port, ToNodeID: "out", ToPort: "source"}}}
				if encoded != "" {
					def.Nodes[1] = workflow.Node{ID: "out", Type: "media.audio_encode", Config: record{"output_path": "out." + encoded}}
					def.Connections[0].ToPort = "audio"
				}
				r := s.made(def).Nodes["out"].Outputs
				name := "out." + encoded
				if m, ok := r["media"].(value.Media); ok {
					name = m.Path
				}
				got := begins(s.samples(name))
				require.Len(t, got, len(c.at), "%s %v", encoded, got)
				for i := range got {
					require.InDelta(t, c.at[i], got[i], 0.001, "%s, sound %d", encoded, i)
				}
			}
		})
	}
}

// begins returns the times at which sounds begin, in seconds: after at least a quarter of a
// second below a threshold.
func begins(all []int16) (at []float64) {
	const rate, loud = 48_000, 4_000
	last := -rate
	for i, v := range all {
		if v < loud && -v < loud {
			continue
		}
		if i-last > rate/4 {
			at = append(at, float64(i)/rate)
		}
		last = i
	}
	return at
}

// lufs returns the loudness of a file.
func (s *studio) lufs(name string) float64 {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", "-nostdin", "-i", name, "-af", "ebur128", "-f", "null", "-")
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err)
	said := regexp.MustCompile(`I:\s+(-?[\d.]+) LUFS`).FindAllSubmatch(out, -1)
	got, err := strconv.ParseFloat(string(said[len(said)-1][1]), 64)
	require.NoError(s.t, err)
	return got
}

func TestLoudnessIsWhatWasAskedFor(t *testing.T) {
	s := newStudio(t)
	s.ffmpeg("-f", "lavfi", "-i", "sine=f=440:r=48000:d=6", "-af", "volume=-12dB", "-ac", "2", "tone.wav")
	s.ffmpeg("-f", "lavfi", "-i", "anoisesrc=color=pink:r=44100:d=12:seed=7", "-af", "volume='0.1+0.3*between(mod(t,3),0,1.5)':eval=frame", "noise.flac")
	s.ffmpeg("-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=12", "-i", "noise.flac", "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "flac", "noise.mkv")
	for name, kind := range map[string]string{"tone.wav": "audio", "noise.flac": "audio", "noise.mkv": "video"} {
		targets := []float64{-16, -23}
		if name == "tone.wav" { // the peaks of noise reach their limit first
			targets = []float64{-14, -20}
		}
		for _, target := range targets {
			t.Run(fmt.Sprint(strings.TrimSuffix(name, "."), target), func(t *testing.T) {
				r := s.made(node1("media.audio_normalize", record{"source": file(kind, name), "target_lufs": target}))
				m := r.Nodes["n"].Outputs["media"].(value.Media)
				require.InDelta(t, target, s.lufs(m.Path), 0.5)
				require.InDelta(t, s.lufs(name), r.Nodes["n"].Outputs["measured_lufs"], 0.5)
			})
		}
	}
	f := s.refused(node1("media.audio_normalize", record{"source": file("video", "none.mp4")}))
	require.Equal(t, "not_found", f.Code)
}
