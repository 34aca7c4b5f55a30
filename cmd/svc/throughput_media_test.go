package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkThroughputMedia measures what making videos does to those who want something
// else: how many times as long the slowest answer in a hundred of W1 takes, over 64
// connections, while two videos are made, as while none is, in turn.
func BenchmarkThroughputMedia(b *testing.B) {
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		b.Skip("needs ffmpeg and ffprobe: apt-get install ffmpeg")
	}
	b.Setenv("SVC_MEDIA_PROCESSES", "2")
	server := startServer(b, buildFor(b, "."))
	server.save(b, chainDocument("W1", 1))
	video, err := json.Marshal(object{"workflow": videoDocument()})
	require.NoError(b, err)
	w1 := server.post("/workflows/W1/run", inputsOf("hello"))
	b.Run("W1_while_two_encode", func(b *testing.B) {
		for b.Loop() {
			const pairs, length = 5, 3 * time.Second
			load(b, 64, server.addr, w1, length/3)
			var times, rates []float64
			for range pairs {
				quiet := load(b, 64, server.addr, w1, length)
				runs := []string{server.begin(b, video), server.begin(b, video)}
				server.awaitMetric(b, "svc_media_running", 2)
				busy := load(b, 64, server.addr, w1, length)
				require.Equal(b, 2.0, server.metric(b, "svc_media_running"), "both go on still")
				for _, runID := range runs {
					server.ask(b, http.MethodPost, "/executions/"+runID+"/cancel", nil)
				}
				server.awaitMetric(b, "svc_media_running", 0)
				times, rates = append(times, float64(busy.p99)/float64(quiet.p99)), append(rates, busy.rate/quiet.rate)
			}
			b.ReportMetric(0, "ns/op") // says nothing here
			b.ReportMetric(median(times), "p99-times")
			b.ReportMetric(median(rates), "ratio")
		}
	})
}

// videoDocument makes a video that takes minutes.
func videoDocument() object {
	return object{"id": "video", "nodes": []object{
		{"id": "blank", "type": "media.video_blank", "config": object{"width": 1920, "height": 1080, "duration_ms": 1_800_000}},
		{"id": "light", "type": "media.video_adjust", "config": object{"blur": 3, "sharpen": 0.5}},
		{"id": "encode", "type": "media.video_encode", "config": object{"speed": "slow"}},
	}, "connections": []object{connection("blank", "video", "light", "video"), connection("light", "video", "encode", "video")}}
}

// begin starts a run, and returns its id.
func (p *process) begin(b *testing.B, body []byte) string {
	b.Helper()
	var started struct{ RunID string }
	answer := p.ask(b, http.MethodPost, "/executions", body)
	require.NoError(b, json.Unmarshal(answer, &started), "%s", answer)
	require.NotEmpty(b, started.RunID, "%s", answer)
	return started.RunID
}

// ask returns the answer to a request that has to succeed.
func (p *process) ask(b *testing.B, method, path string, body []byte) []byte {
	b.Helper()
	request, err := http.NewRequest(method, "http://"+p.addr+path, bytes.NewReader(body))
	require.NoError(b, err)
	request.Header.Set("Authorization", "Bearer "+p.key)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(b, err)
	defer answer.Body.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(answer.Body)
	require.NoError(b, err)
	require.Less(b, answer.StatusCode, 300, "%s", &text)
	return text.Bytes()
}

// awaitMetric waits until a figure of the server is what it is to be.
func (p *process) awaitMetric(b *testing.B, name string, want float64) {
	b.Helper()
	require.Eventually(b, func() bool { return p.metric(b, name) == want }, time.Minute, 20*time.Millisecond, name)
}
