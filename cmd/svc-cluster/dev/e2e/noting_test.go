package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/app/drive"
	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/postgres"
)

// Variables of a process that drives runs with the engine.
const (
	drivesVariable = "SVC_TEST_DRIVES"  // number of concurrent runs
	answerVariable = "SVC_TEST_ANSWER"  // queue that it answers
	atOnceVariable = "SVC_TEST_AT_ONCE" // number of concurrent nodes of that queue

	runBytesVariable = "SVC_TEST_RUN_BYTES" // size limit of a run
)

// placedOn is the queue of the placed nodes.
const placedOn = "gpu"

// noting is a plugin. Its node records in a file when a call begins and ends, and in which process.
type noting struct{ file, name string }

type noteIn struct {
	Ms   int    `port:"ms" default:"0" doc:"How long it takes."`
	Text string `port:"text" default:"" doc:"What comes out."`
}

type noteOut struct {
	Text string `port:"text" doc:"What went in."`
}

func (n noting) bundle() node.Bundle {
	return node.Bundle{Name: "test", Nodes: []node.Node{
		node.Func("test.note", "Note the call", n.call).Timeout(10 * time.Minute),
		node.Func("here.note", "Note the call, which is not placed", n.call).Timeout(10 * time.Minute),
		node.Func("here.once", "Note the call, which is not to be made twice", n.call).Once(),
		node.Func("here.flaky", "Fail the first time", n.flaky).Timeout(10 * time.Minute),
		node.Func("here.make", "Make a long text", n.make),
		node.Func("pure.wait", "Take as long as what computes", n.wait).Pure().Timeout(10 * time.Minute),
		node.Func("here.exit", "End the process", n.exit),
	}}
}

func (n noting) call(ctx context.Context, in noteIn) (noteOut, error) {
	n.write("begin", node.Key(ctx))
	err := node.Sleep(ctx, time.Duration(in.Ms)*time.Millisecond)
	n.write("end", node.Key(ctx))
	return noteOut{in.Text}, err
}

// exit ends the process after a delay.
func (n noting) exit(ctx context.Context, in noteIn) (noteOut, error) {
	if err := node.Sleep(ctx, time.Duration(in.Ms)*time.Millisecond); err != nil {
		return noteOut{}, err
	}
	os.Exit(3)
	return noteOut{}, nil
}

// wait takes time without using the CPU.
func (n noting) wait(ctx context.Context, in noteIn) (noteOut, error) {
	return noteOut{in.Text}, node.Sleep(ctx, time.Duration(in.Ms)*time.Millisecond)
}

type flakyIn struct {
	Ms    int `port:"ms" default:"0" doc:"How long it takes."`
	Again int `port:"again" default:"0" doc:"After how many milliseconds it wants to be asked again."`
}

// flaky fails at the first attempt.
func (n noting) flaky(ctx context.Context, in flakyIn) (noteOut, error) {
	text, _ := os.ReadFile(n.file) // the file does not exist before the first note
	if !strings.Contains(string(text), "failed "+node.Key(ctx)+" ") {
		n.write("failed", node.Key(ctx))
		return noteOut{}, &node.Error{Code: "not_yet", Message: "not yet", RetryAfter: time.Duration(in.Again) * time.Millisecond}
	}
	return n.call(ctx, noteIn{Ms: in.Ms})
}

type makeIn struct {
	Bytes int `port:"bytes" doc:"How long it is."`
}

func (n noting) make(ctx context.Context, in makeIn) (noteOut, error) {
	n.write("begin", node.Key(ctx))
	n.write("end", node.Key(ctx))
	return noteOut{strings.Repeat("x", in.Bytes)}, nil
}

func (n noting) write(what, key string) {
	f, err := os.OpenFile(n.file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %s %s\n", what, key, n.name)
}

// sharer returns an app with shared runs; runBytes is the size limit of a run, 0 the default.
func sharer(ctx context.Context, database string, n noting, runBytes int64, c cluster.RunsConfig) (a *app.App, closed func() error, err error) {
	kept, err := postgres.Open(ctx, database)
	if err != nil {
		return nil, nil, err
	}
	c.Name = n.name
	if c.Shared, err = kept.Runs(ctx, postgres.RunOptions{RunBytes: runBytes}); err != nil {
		return nil, nil, err
	}
	if c.Place, err = cluster.ParsePlacement("test.*=" + placedOn); err != nil {
		return nil, nil, err
	}
	a, err = app.New(app.Config{
		Store: kept, ExtraPlugins: []node.Plugin{n.bundle()}, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Shared: func(env drive.Env) (runs.Backend, error) { return cluster.NewRuns(env, c) },
	})
	if err != nil {
		return nil, nil, err
	}
	return a, func() error { defer kept.Close(); return a.Close(context.Background()) }, nil
}

// beMember runs a process that drives runs, answers a queue, or both.
func beMember(ctx context.Context) (err error) {
	temporal, err := cluster.Dial(ctx, cluster.Connection{Address: os.Getenv(temporalVariable), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	defer temporal.Close()
	c := cluster.RunsConfig{Temporal: temporal}
	c.Drives, _ = strconv.Atoi(os.Getenv(drivesVariable)) // 0 if the variable is not set
	if answer := os.Getenv(answerVariable); answer != "" {
		atOnce, _ := strconv.Atoi(os.Getenv(atOnceVariable))
		c.Answer = []cluster.Queue{{Name: answer, AtOnce: atOnce}}
	}
	runBytes, _ := strconv.ParseInt(os.Getenv(runBytesVariable), 10, 64)
	_, closed, err := sharer(ctx, os.Getenv(databaseVariable), noting{os.Getenv(fileVariable), os.Getenv(nameVariable)}, runBytes, c)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	<-ctx.Done()
	return errors.Join(closed())
}

// member starts such a process with a new name.
func (w *world) member(drives int, answer string) *process {
	w.t.Helper()
	w.workers++
	name := fmt.Sprint("member", w.workers)
	p := start(w.t, "member", nameVariable+"="+name, databaseVariable+"="+w.database, temporalVariable+"="+w.address(),
		fileVariable+"="+w.noteFile(), drivesVariable+"="+strconv.Itoa(drives), answerVariable+"="+answer, atOnceVariable+"="+strconv.Itoa(cmp.Or(w.atOnce, 20)),
		runBytesVariable+"="+strconv.FormatInt(w.runBytes, 10))
	p.name = name
	return p
}

// instance returns an app that starts runs and drives none.
func (w *world) instance() *app.App {
	w.t.Helper()
	a, closed, err := sharer(w.t.Context(), w.database, noting{w.noteFile(), "test"}, w.runBytes, cluster.RunsConfig{Temporal: w.client, MaxRuns: w.maxRuns})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { assert.NoError(w.t, closed()) })
	return a
}

// started starts a run of nodes.
func (w *world) started(a *app.App, nodes string) string {
	w.t.Helper()
	id, err := a.StartJSON(w.t.Context(), []byte(`{"id":"w","nodes":[`+nodes+`],"connections":[]}`), run.Request{})
	require.NoError(w.t, err)
	return id
}

// noted returns which processes have recorded a kind of note, by key.
func (w *world) noted(what string) map[string][]string {
	w.t.Helper()
	text, _ := os.ReadFile(w.noteFile()) // the file does not exist before the first note
	byKey := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == what {
			byKey[f[1]] = append(byKey[f[1]], f[2])
		}
	}
	return byKey
}
