//go:build linux && cgo && !ci

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	fyneapp "fyne.io/fyne/v2/app"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/machine"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui"
	"github.com/svcflow/svc/ui/documents"
)

// The benchmarks of this file start the test binary again, on another display, as a program
// that shows the whole editor and measures itself. This variable names the scene.
const sceneVariable = "SVC_SCENE"

// profileVariable names the file for a profile of the frames of one scene, if that is
// wanted.
const profileVariable = "SVC_PROFILE"

// TestMain is the program that is measured, if it was started as that. It has to have
// the main thread, which tests do not get.
func TestMain(m *testing.M) {
	name, asked := os.LookupEnv(sceneVariable)
	if !asked {
		os.Exit(m.Run())
	}
	if err := play(name, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitFailed)
	}
}

// BenchmarkWindow measures what frames of the whole editor cost, drawn by software into
// a window of 1280×800 with 1,000 nodes. Times are those of processors, which a busy
// machine changes little:
//
//   - ui-ms/frame is all that the goroutine of the window does for a frame, the calls
//     of OpenGL and what the frame was drawn for;
//   - event-ms/frame is the part of it that an event of the mouse takes;
//   - process-ms/frame has the other goroutines and the drawing by software in it;
//   - open-ms is the time that passes from opening the workflow to its first frame.
func BenchmarkWindow(b *testing.B) {
	for _, s := range scenes() {
		b.Run(s.name, func(b *testing.B) {
			var r reel
			for b.Loop() {
				r = film(b, &s)
			}
			r.report(b)
		})
	}
}

// scene is what happens in the window. All its functions are called by Fyne's own
// goroutine, frame once for each frame.
type scene struct {
	name  string
	shows func() *workflow.Definition
	begin func(*set)
	frame func(*set, int)
}

// reel is what a scene has cost.
type reel struct {
	Frames             int
	UI, Event, Process time.Duration // of processors
	Wall               time.Duration
	Opens              time.Duration // from opening the workflow to its first frame
}

func (r *reel) report(b *testing.B) {
	per := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) / float64(r.Frames) }
	b.ReportMetric(0, "ns/op") // says nothing: how long the scene was made
	b.ReportMetric(per(r.UI), "ui-ms/frame")
	b.ReportMetric(per(r.Event), "event-ms/frame")
	b.ReportMetric(per(r.Process), "process-ms/frame")
	b.ReportMetric(float64(r.Frames)/r.Wall.Seconds(), "frames/s")
	b.ReportMetric(float64(r.Opens.Milliseconds()), "open-ms")
}

func scenes() []scene {
	return []scene{
		{name: "idle", shows: lattice(1000)},
		{name: "drag", shows: lattice(1000), begin: (*set).takeNode, frame: (*set).drag},
		{name: "pan", shows: lattice(1000), begin: (*set).takeGround, frame: (*set).drag},
		{name: "zoom", shows: lattice(1000), frame: (*set).zoom},
		{name: "hover", shows: lattice(1000), frame: (*set).hover},
		{name: "all in view, drag", shows: lattice(1000), begin: wide((*set).takeNode), frame: (*set).drag},
		{name: "all in view, pan", shows: lattice(1000), begin: wide((*set).takeGround), frame: (*set).drag},
		{name: "all in view, zoom", shows: lattice(1000), begin: wide(nil), frame: (*set).zoom},
		{name: "running", shows: slow(1000), begin: (*set).run},
		{name: "running, pan", shows: slow(1000), begin: func(s *set) { s.run(); s.takeGround() }, frame: (*set).drag},
		{name: "running, all in view", shows: slow(1000), begin: wide((*set).run)},
		{name: "open 5000", shows: lattice(5000)},
	}
}

// film plays a scene on another display.
func film(b *testing.B, s *scene) (r reel) {
	b.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		b.Skip("needs Xvfb")
	}
	self, err := os.Executable()
	require.NoError(b, err)
	d := xtest.StartWith(b, self, 1280, 800)
	d.Setenv(sceneVariable, s.name)
	d.Setenv("FYNE_THEME", "dark")
	d.Setenv(profileVariable, os.Getenv(profileVariable))
	text, err := json.Marshal(s.shows())
	require.NoError(b, err)
	file := d.Home("grid.json")
	require.NoError(b, os.WriteFile(file, text, 0o600))
	// Software OpenGL would return its memory to the system after each frame and take it
	// again, which would cost more than all else. Graphics cards have their own memory.
	d.Setenv("MALLOC_TRIM_THRESHOLD_", "1000000000")
	d.Setenv("MALLOC_MMAP_THRESHOLD_", "1000000000")
	p := d.Launch(file)
	p.AwaitLog("OPEN")
	p.AwaitLog("REEL")
	require.Zero(b, p.Wait(), "%s", p.Log())
	_, line, found := strings.Cut(p.Log(), "REEL ")
	require.True(b, found, p.Log())
	require.NoError(b, json.NewDecoder(strings.NewReader(line)).Decode(&r))
	return r
}

// play is the program that is measured: the window of svc-desktop, and a scene in it.
func play(name, file string) error {
	ctx := context.Background()
	folders, err := machine.FindFolders("")
	if err != nil {
		return err
	}
	m, err := machine.Open(ctx, machine.Config{
		Folders: folders, Getenv: os.LookupEnv, Environ: os.Environ, OpenURL: func(string) error { return nil },
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		return err
	}
	a := fyneapp.NewWithID(programID)
	drafts, err := documents.OpenDrafts(folders.Drafts())
	if err != nil {
		return err
	}
	tabs, err := documents.OpenTabs(folders.Tabs())
	if err != nil {
		return err
	}
	window, err := ui.New(ui.Config{
		App: a, Local: m.Place(), Registry: m.NodeTypes(), Servers: m.Servers(), Server: m.Server(),
		Drafts: drafts, Recent: documents.OpenRecent(folders.Recent()), Tabs: tabs, Templates: []app.Template{},
		OpenURL: func(string) error { return nil }, Pace: pace(os.LookupEnv, os.DirFS("/dev")),
	})
	if err != nil {
		return err
	}
	for _, s := range scenes() {
		if s.name == name {
			a.Lifecycle().SetOnStarted(newSet(&s, window, file).start)
		}
	}
	window.ShowAndRun()
	closing, cancel := context.WithCancel(ctx)
	cancel() // do not wait for what still runs
	if err := m.Close(closing); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
