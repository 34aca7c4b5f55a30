package mediacore_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/mediacore"
)

type record = map[string]any

// studio runs workflows of media nodes on files in a folder, with the access rules of a
// server.
type studio struct {
	t        testing.TB
	dir      string
	scratch  string
	env      nodes.Env
	registry *node.Registry
	vars     map[string]string
	done     map[string]bool // node types that have succeeded in a run
}

func newStudio(t testing.TB) *studio {
	t.Helper()
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		t.Skip("needs ffmpeg and ffprobe: apt-get install ffmpeg")
	}
	if !trials.Today(t).Has(t.Name(), 3) {
		t.Skipf("not in the sample of today; %s=all runs all", trials.SampleVariable)
	}
	s := &studio{t: t, dir: t.TempDir(), scratch: t.TempDir(), vars: map[string]string{}, done: map[string]bool{}}
	s.open(nil)
	return s
}

// open creates the nodes again, with a configuration that change modifies.
func (s *studio) open(change func(*media.Config)) {
	s.t.Helper()
	var err error
	s.env, err = nodes.Sandbox(nodes.Policy{FilesDir: s.dir})
	require.NoError(s.t, err)
	c := media.Config{Files: s.env.Files, HTTP: s.env.HTTP, Scratch: s.scratch, Getenv: func(name string) string { return s.vars[name] }}
	if change != nil {
		change(&c)
	}
	s.registry, err = node.NewRegistry(append(nodes.Builtin(s.env), mediacore.New(media.New(c)))...)
	require.NoError(s.t, err)
}

// ffmpeg runs the real ffmpeg.
func (s *studio) ffmpeg(args ...string) {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", append([]string{"-hide_banner", "-nostdin", "-v", "error", "-y"}, args...)...)
	cmd.Dir = s.dir
	out, err := cmd.CombinedOutput()
	require.NoError(s.t, err, "%s", out)
}

// clip makes a video with different content in each frame, with a tone if sound is set.
func (s *studio) clip(name, size, rate string, seconds float64, sound bool) {
	s.t.Helper()
	args := []string{"-f", "lavfi", "-i", fmt.Sprintf("testsrc2=s=%s:r=%s:d=%v", size, rate, seconds)}
	if sound {
		args = append(args, "-f", "lavfi", "-i", fmt.Sprintf("sine=f=440:r=48000:d=%v", seconds), "-c:a", "aac", "-b:a", "128k")
	}
	s.ffmpeg(append(args, "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", "-pix_fmt", "yuv420p", name)...)
}

// step is a node of a chain.
type step struct {
	id, typ string
	config  record
	in      string // the input for the chain; "" means video
	out     string // the output for the chain; "" means video
}

// chain returns a workflow of consecutive nodes.
func chain(steps ...step) *workflow.Definition {
	def := &workflow.Definition{ID: "chain"}
	for i, s := range steps {
		def.Nodes = append(def.Nodes, workflow.Node{ID: s.id, Type: s.typ, Config: s.config})
		if i > 0 {
			def.Connections = append(def.Connections, workflow.Connection{
				FromNodeID: steps[i-1].id, FromPort: orVideo(steps[i-1].out), ToNodeID: s.id, ToPort: orVideo(s.in),
			})
		}
	}
	return def
}

func orVideo(port string) string {
	if port == "" {
		return "video"
	}
	return port
}

func (s *studio) run(ctx context.Context, def *workflow.Definition, o engine.Options) *engine.Result {
	s.t.Helper()
	plan, err := engine.Compile(ctx, def, engine.Env{Registry: s.registry})
	require.NoError(s.t, err)
	o.KeepOutputs = engine.KeepAll
	ctx = node.WithWorkspace(ctx, node.NewWorkspace(cmp.Or(o.RunID, "none"))) // as package app does
	run, err := new(engine.Local).Run(ctx, plan, o)
	require.NoError(s.t, err)
	return run.Result()
}

// made runs a workflow that must succeed.
func (s *studio) made(def *workflow.Definition) *engine.Result {
	s.t.Helper()
	r := s.run(s.t.Context(), def, engine.Options{})
	require.Equal(s.t, engine.StatusCompleted, r.Status, "%+v", r.Error)
	for i := range def.Nodes {
		s.done[def.Nodes[i].Type] = true
	}
	return r
}

// refused runs a workflow that must fail, and returns the failure.
func (s *studio) refused(def *workflow.Definition) *engine.Failure {
	s.t.Helper()
	r := s.run(s.t.Context(), def, engine.Options{})
	require.Equal(s.t, engine.StatusFailed, r.Status)
	return r.Error
}

// facts is the output of ffprobe for a file.
type facts struct {
	Streams []struct {
		Type     string `json:"codec_type"`
		Codec    string `json:"codec_name"`
		Width    int    `json:"width"`
		Height   int    `json:"height"`
		Frames   string `json:"nb_read_frames"`
		Duration string `json:"duration"`
		Rate     string `json:"avg_frame_rate"`
	} `json:"streams"`
	Format struct {
		Duration string `json:"duration"`
	} `json:"format"`
}

func (s *studio) probe(name string) facts {
	s.t.Helper()
	cmd := exec.Command("ffprobe", "-v", "error", "-of", "json", "-count_frames", "-show_streams", "-show_format", name)
	cmd.Dir = s.dir
	out, err := cmd.Output()
	require.NoError(s.t, err)
	var f facts
	require.NoError(s.t, json.Unmarshal(out, &f))
	return f
}

func (f facts) of(typ string) int {
	for i := range f.Streams {
		if f.Streams[i].Type == typ {
			return i
		}
	}
	return -1
}

// sums returns the checksums and times of all frames of a file's picture (v) or sound (a).
func (s *studio) sums(name, stream string) []string {
	s.t.Helper()
	cmd := exec.Command("ffmpeg", "-hide_banner", "-nostdin", "-v", "error", "-i", name, "-map", "0:"+stream, "-f", "framemd5", "-")
	cmd.Dir = s.dir
	out, err := cmd.Output()
	require.NoError(s.t, err)
	var sums []string
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "#") {
			fields := strings.Split(line, ",")
			sums = append(sums, strings.TrimSpace(fields[2])+" "+strings.TrimSpace(fields[len(fields)-1]))
		}
	}
	return sums
}

func (s *studio) file(name string) string { return filepath.Join(s.dir, name) }

func (s *studio) left() []string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.scratch, "*"))
	require.NoError(s.t, err)
	more, err := filepath.Glob(filepath.Join(s.dir, ".svc-tmp-*"))
	require.NoError(s.t, err)
	return append(found, more...)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// decoded parses JSON to a value.
func decoded(t testing.TB, text []byte) any {
	t.Helper()
	v, err := value.Decode(text)
	require.NoError(t, err)
	return v
}
