package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-cluster/dev/servers"
	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/postgres"
)

// Variables with the role of a process, and the addresses of the others.
const (
	asVariable       = "SVC_TEST_AS" // worker, temporal or member
	databaseVariable = "SVC_TEST_DATABASE"
	temporalVariable = "SVC_TEST_TEMPORAL"
	portVariable     = "SVC_TEST_PORT"
	fileVariable     = "SVC_TEST_FILE" // file for notes or data
	nameVariable     = "SVC_TEST_NAME"
	programVariable  = "SVC_TEST_PROGRAM" // path of svc-cluster
)

func TestMain(m *testing.M) {
	roles := map[string]func(context.Context) error{"worker": beWorker, "temporal": beTemporal, "member": beMember}
	role, ok := roles[os.Getenv(asVariable)]
	if !ok {
		os.Exit(withProgram(m.Run))
	}
	if err := role(program.Context()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// withProgram calls do with svc-cluster built for it.
func withProgram(do func() int) int {
	dir, err := os.MkdirTemp("", "svc-cluster")
	if err == nil {
		defer os.RemoveAll(dir)
		program := filepath.Join(dir, "svc-cluster")
		var out []byte
		if out, err = exec.Command("go", "build", "-o", program, "github.com/svcflow/svc/cmd/svc-cluster").CombinedOutput(); err != nil {
			err = fmt.Errorf("%w: %s", err, out)
		} else {
			err = os.Setenv(programVariable, program)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "svc-cluster cannot be built:", err)
		return 1
	}
	return do()
}

// beTemporal runs Temporal until ctx ends.
func beTemporal(ctx context.Context) error {
	var port int
	if _, err := fmt.Sscan(os.Getenv(portVariable), &port); err != nil {
		return err
	}
	s, err := servers.StartTemporal(ctx, servers.TemporalConfig{File: os.Getenv(fileVariable), Port: port})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	return s.Stop()
}

// beWorker runs a worker until ctx ends.
func beWorker(ctx context.Context) (err error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	kept, err := postgres.Open(ctx, os.Getenv(databaseVariable))
	if err != nil {
		return err
	}
	defer kept.Close()
	runs, err := kept.Runs(ctx, postgres.RunOptions{})
	if err != nil {
		return err
	}
	notes, err := os.OpenFile(os.Getenv(fileVariable), os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer notes.Close()
	temporal, err := cluster.Dial(ctx, cluster.Connection{Address: os.Getenv(temporalVariable), Log: log})
	if err != nil {
		return err
	}
	defer temporal.Close()
	holder := cluster.NewHolder(cluster.HolderConfig{Runs: runs, Player: &steps{notes, os.Getenv(nameVariable)}, Name: os.Getenv(nameVariable), Log: log})
	defer func() { err = errors.Join(err, holder.Close(context.Background())) }()
	starts := cluster.NewStarts(temporal, holder, log)
	defer starts.Close()
	worker, err := cluster.StartWorker(temporal, cluster.WorkerConfig{Driver: holder, Log: log})
	if err != nil {
		return err
	}
	defer func() { worker.Close(context.Background()) }()
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}

// A run of these tests has steps one after the other, which take some time.
const (
	stepsOfRun = 20
	stepTakes  = 200 * time.Millisecond
)

// steps plays runs, and records when their steps begin.
type steps struct {
	notes *os.File
	name  string
}

// Play implements [cluster.Player].
func (s *steps) Play(ctx context.Context, h cluster.Held) error {
	for seq := h.Frames + 1; seq <= stepsOfRun; seq++ {
		select {
		case <-h.Leave:
			return engine.ErrHandedOff
		default:
		}
		if _, err := fmt.Fprintf(s.notes, "%s %d %s %d\n", h.RunID, seq, s.name, time.Now().UnixMilli()); err != nil {
			return err
		}
		if err := node.Sleep(ctx, stepTakes); err != nil && errors.Is(context.Cause(ctx), engine.ErrHandedOff) {
			return context.Cause(ctx)
		} else if err != nil {
			return finish(context.WithoutCancel(ctx), h, seq, engine.StatusCancelled)
		}
		e := engine.Event{Seq: seq, Name: engine.EventNode, RunID: h.RunID, NodeID: fmt.Sprint("n", seq), Status: engine.StatusSucceeded, Time: now(h)}
		if err := h.Journal.Append(ctx, frame(&e)); err != nil {
			return err
		}
	}
	return finish(ctx, h, stepsOfRun+1, engine.StatusCompleted)
}

// End implements [cluster.Player].
func (s *steps) End(ctx context.Context, h cluster.Held, failure *node.Error) error {
	return finish(ctx, h, h.Frames+1, engine.StatusFailed)
}

func finish(ctx context.Context, h cluster.Held, seq int, status engine.Status) error {
	e := engine.Event{Seq: seq, Name: engine.EventCompleted, RunID: h.RunID, Time: now(h)}
	e.Result = &engine.Result{RunID: h.RunID, WorkflowID: "w", Status: status, StartedAt: e.Time, FinishedAt: e.Time}
	if status != engine.StatusCompleted {
		e.Name, e.Result.Error = engine.EventFailed, &engine.Failure{Code: node.CodeInterrupted, Message: "ended"}
		e.Error = e.Result.Error
	}
	return h.Journal.Append(ctx, frame(&e))
}

func frame(e *engine.Event) run.Frame {
	var encoder run.Encoder
	kept, _ := encoder.Frame(e)
	return kept
}

// now returns the time, which never goes backwards within a run.
func now(h cluster.Held) time.Time {
	if t := time.Now().UTC().Truncate(time.Microsecond); t.After(h.Last) {
		return t
	}
	return h.Last
}
