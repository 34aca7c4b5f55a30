package mediacore_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/value"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/nodes/media"
	"github.com/svcflow/svc/nodes/nodetest"
)

// slow is a chain whose last node takes long.
func slow() *workflow.Definition {
	return chain(load(), resized(record{"width": 1920}), step{id: "encode", typ: "media.video_encode", config: record{"output_path": "out.mp4", "bitrate": "auto", "speed": "slow"}})
}

// eventually waits until ok returns true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	require.Eventually(t, ok, 2*time.Minute, 5*time.Millisecond, what)
}

func TestWhatIsCancelledLeavesNothing(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "30", 20, true)
	random := trials.Random(t)
	for range trials.Count(t, trials.Kills, 8) {
		ctx, cancel := context.WithCancelCause(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() {
			plan, err := engine.Compile(ctx, slow(), engine.Env{Registry: s.registry})
			if err == nil {
				_, _ = new(engine.Local).Run(ctx, plan, engine.Options{})
			}
		})
		eventually(t, "ffmpeg runs", func() bool { return nodetest.ProcessesIn(s.scratch) > 0 })
		<-time.After(time.Duration(random.IntN(400)) * time.Millisecond)
		began := time.Now()
		cancel(errors.New("enough"))
		ended.Wait()
		t.Logf("ended %v after the cancel", time.Since(began))
		eventually(t, "nothing is left", func() bool { return nodetest.ProcessesIn(s.scratch) == 0 && len(s.left()) == 0 }) // the call may have been abandoned
		require.NoFileExists(t, s.file("out.mp4"))
	}
}

func TestWhatTakesTooLongIsKilled(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "30", 20, false)
	random := trials.Random(t)
	var took []time.Duration
	for range trials.Count(t, trials.Kills, 4) {
		def := slow()
		def.Nodes[2].TimeoutMs = 1 + random.IntN(600)
		f := s.refused(def)
		require.Equal(t, "timeout", f.Code)
		began := time.Now()
		eventually(t, "no ffmpeg is left", func() bool { return nodetest.ProcessesIn(s.scratch) == 0 && len(s.left()) == 0 })
		took = append(took, time.Since(began))
		require.NoFileExists(t, s.file("out.mp4"))
	}
	t.Logf("%d times: nothing is left %v after the failure at worst", len(took), slices.Max(took))
}

// TestService is the process that TestAServiceThatIsKilledLeavesNothing kills.
func TestService(t *testing.T) {
	dir := os.Getenv("SVC_TEST_STUDIO")
	if dir == "" {
		t.Skip("is run by TestAServiceThatIsKilledLeavesNothing")
	}
	s := newStudio(t)
	s.dir, s.scratch = filepath.Join(dir, "files"), filepath.Join(dir, "scratch")
	s.open(nil)
	s.made(slow())
}

func TestAServiceThatIsKilledLeavesNothing(t *testing.T) {
	s := newStudio(t)
	dir := t.TempDir()
	s.dir, s.scratch = filepath.Join(dir, "files"), filepath.Join(dir, "scratch")
	require.NoError(t, os.Mkdir(s.dir, 0o755))
	require.NoError(t, os.Mkdir(s.scratch, 0o755))
	s.clip("in.mp4", "320x240", "30", 20, true)
	random := trials.Random(t)
	for range trials.Count(t, trials.Kills, 5) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestService$")
		cmd.Env = append(os.Environ(), "SVC_TEST_STUDIO="+dir)
		require.NoError(t, cmd.Start())
		eventually(t, "ffmpeg runs", func() bool { return nodetest.ProcessesIn(s.scratch) > 0 })
		<-time.After(time.Duration(random.IntN(200)) * time.Millisecond)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		eventually(t, "no ffmpeg is left", func() bool { return nodetest.ProcessesIn(s.scratch) == 0 })
		s.open(nil) // a restart
		require.Empty(t, s.left())
		require.NoFileExists(t, s.file("out.mp4"))
	}
}

func TestThereAreNeverMoreProcessesThanPlaces(t *testing.T) {
	s := newStudio(t)
	s.vars["SVC_MEDIA_PROCESSES"] = "2"
	s.open(nil)
	s.clip("in.mp4", "160x120", "25", 3, false)
	var waited sync.Map
	var runs sync.WaitGroup
	for range max(6, trials.Count(t, trials.Kills, 0)) {
		runs.Go(func() {
			def := chain(load(), resized(record{"width": 320}), encoded(""))
			plan, err := engine.Compile(t.Context(), def, engine.Env{Registry: s.registry})
			if err != nil {
				return
			}
			_, _ = new(engine.Local).Run(t.Context(), plan, engine.Options{Observe: func(e engine.Event) {
				if strings.HasPrefix(e.Message, "waiting for a place") {
					waited.Store(e.Message, true)
				}
			}})
		})
	}
	done := make(chan struct{})
	go func() { runs.Wait(); close(done) }()
	for most := 0; ; {
		select {
		case <-done:
			require.LessOrEqual(t, most, 2+2, "two that make files, two that look at some")
			_, said := waited.Load("waiting for a place, 0 before it")
			require.True(t, said)
			return
		case <-time.After(2 * time.Millisecond):
			most = max(most, nodetest.ProcessesIn(s.scratch))
		}
	}
}

// Progress only increases, up to the end, and is reported rarely.
func TestProgressIsHonest(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "30", 20, true)
	var steps []int
	total := 0
	s.run(t.Context(), chain(load(), resized(record{"width": 640}), encoded("a.mp4")), engine.Options{Observe: func(e engine.Event) {
		if e.Name == engine.EventProgress && e.NodeID == "encode" && e.Total > 0 {
			steps, total = append(steps, e.Step), e.Total
		}
	}})
	require.Equal(t, 20_000, total)
	require.NotEmpty(t, steps)
	require.LessOrEqual(t, len(steps), 100)
	require.IsIncreasing(t, steps)
	require.Equal(t, total, steps[len(steps)-1])
}

// A resumed run makes the missing files only.
func TestRecipesSurviveAResume(t *testing.T) {
	s := newStudio(t)
	s.clip("in.mp4", "320x240", "30", 2, true)
	def := chain(load(), trimmed(500, 1500), resized(record{"width": 160}), encoded("a.mp4"))
	first := s.made(def)
	sums := s.sums("a.mp4", "v")
	require.NoError(t, os.Remove(s.file("a.mp4")))
	recorded := map[string]map[string]any{}
	for id, n := range first.Nodes {
		recorded[id], _ = decoded(t, value.Encode(n.Outputs)).(record)
	}
	s.vars["SVC_FFPROBE"] = "/bin/false" // fails if a file is probed again
	s.open(func(*media.Config) {})
	reused := map[string]bool{}
	again := s.run(t.Context(), def, engine.Options{Observe: func(e engine.Event) { reused[e.NodeID] = e.Reused }, Reuse: func(path string) (map[string]any, bool) {
		return recorded[path], path != "encode"
	}})
	require.Equal(t, engine.StatusCompleted, again.Status, "%+v", again.Error)
	require.True(t, reused["load"] && reused["size"] && !reused["encode"])
	require.Equal(t, sums, s.sums("a.mp4", "v"))
}
