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
	"runtime/pprof"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/machine"
	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui"
	"github.com/svcflow/svc/ui/canvas"
	"github.com/svcflow/svc/ui/documents"
)

// The benchmarks of this file start the test binary once more, on a display of its own,
// as a program that shows the whole editor and measures itself. What it is to do is in
// this variable.
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
	for i := range scenes {
		b.Run(scenes[i].name, func(b *testing.B) {
			var r reel
			for b.Loop() {
				r = film(b, &scenes[i])
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

var scenes = []scene{
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

// film plays a scene on a display of its own.
func film(b *testing.B, s *scene) (r reel) {
	b.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		b.Skip("needs Xvfb")
	}
	self, err := os.Executable()
	require.NoError(b, err)
	b.Setenv("SVC_E2E_WINDOW", self)
	d := xtest.Start(b, 1280, 800)
	d.Setenv(sceneVariable, s.name)
	d.Setenv("FYNE_THEME", "dark")
	d.Setenv(profileVariable, os.Getenv(profileVariable))
	text, err := json.Marshal(s.shows())
	require.NoError(b, err)
	file := d.Home("grid.json")
	require.NoError(b, os.WriteFile(file, text, 0o600))
	// The memory that OpenGL by software gives back to the system after each frame, and
	// takes anew, would cost more than all else. Graphics cards have their own.
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
	window, err := ui.New(ui.Config{
		App: a, Local: m.Place(), Registry: m.NodeTypes(), Servers: m.Servers(), Server: m.Server(),
		Drafts: drafts, Recent: documents.OpenRecent(folders.Recent()), Templates: []app.Template{},
		OpenURL: func(string) error { return nil },
	})
	if err != nil {
		return err
	}
	for i := range scenes {
		if scenes[i].name == name {
			a.Lifecycle().SetOnStarted(newSet(&scenes[i], window, file).start)
		}
	}
	window.ShowAndRun()
	closing, cancel := context.WithCancel(ctx)
	cancel() // nobody waits for what still runs
	if err := m.Close(closing); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// set is where a scene is played.
type set struct {
	scene  *scene
	window *ui.Window
	file   string

	canvas *canvas.Canvas // once the workflow is open
	at     fyne.Position  // of what is held
	tick   *fyne.Animation
	frames int // so far
	opened time.Time
	before usage // before the first frame that counts
	reel   reel
}

func newSet(s *scene, w *ui.Window, file string) *set { return &set{scene: s, window: w, file: file} }

// The frames of a scene: when the workflow is opened, when the scene begins, from when on
// frames count, because much is done for the first time before, and the last one.
const frameOpen, frameBegin, frameCount, frameEnd = 30, 60, 90, 270

// start begins to be told of frames: animations are run for each, right before it is
// painted.
func (s *set) start() {
	s.tick = &fyne.Animation{Duration: time.Hour, Tick: func(float32) { s.next() }}
	s.tick.Start()
}

// next is called before each frame is painted.
func (s *set) next() {
	s.frames++
	switch s.frames {
	case frameOpen:
		s.opened = time.Now()
		s.window.Open(s.file)
		s.canvas = fyne.CurrentApp().Driver().AllWindows()[0].Canvas().Focused().(*canvas.Canvas)
	case frameOpen + 1:
		s.reel.Opens = time.Since(s.opened)
		fmt.Println("OPEN")
	case frameBegin:
		if s.scene.begin != nil {
			s.scene.begin(s)
		}
	case frameCount:
		s.profile()
		s.before = used()
	case frameEnd:
		s.end()
		return
	}
	if s.frames <= frameBegin || s.scene.frame == nil {
		return
	}
	begun := used()
	s.scene.frame(s, s.frames)
	if s.frames >= frameCount {
		s.reel.Event += used().thread - begun.thread
	}
}

// end tells what the scene has cost.
func (s *set) end() {
	s.tick.Stop()
	now := used()
	pprof.StopCPUProfile()
	s.reel.Frames = frameEnd - frameCount
	s.reel.UI, s.reel.Process, s.reel.Wall = now.thread-s.before.thread, now.process-s.before.process, now.at.Sub(s.before.at)
	text, err := json.Marshal(s.reel)
	if err != nil {
		panic(err)
	}
	fmt.Println("REEL", string(text))
	s.window.Quit()
}

// profile begins to write where the time goes, if somebody wants to know.
func (s *set) profile() {
	path := os.Getenv(profileVariable)
	if path == "" {
		return
	}
	file, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		panic(err)
	}
}

// usage is the time of processors that this thread and the process have had, at a time.
type usage struct {
	at              time.Time
	thread, process time.Duration
}

func used() usage {
	of := func(who int) time.Duration {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			panic(err) // neither can fail
		}
		return time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	return usage{time.Now(), of(syscall.RUSAGE_THREAD), of(syscall.RUSAGE_SELF)}
}

// wide shows the whole workflow before it goes on.
func wide(then func(*set)) func(*set) {
	return func(s *set) {
		s.canvas.OnShortcut(&desktop.CustomShortcut{KeyName: fyne.Key1, Modifier: fyne.KeyModifierControl})
		if then != nil {
			then(s)
		}
	}
}

// run starts the workflow.
func (s *set) run() { s.canvas.OnKey(fyne.KeyF5, 0) }

// takeNode presses the mouse on the node that is nearest to the middle.
func (s *set) takeNode() {
	b := s.canvas.Board()
	middle := b.View.Size.Scale(0.5)
	nearest := middle.Length()
	for i := range b.Document().Scene().Cards {
		at := b.View.ToScreen(b.Document().Scene().Cards[i].Rect.Center())
		if off := at.Sub(middle).Length(); off < nearest {
			nearest, s.at = off, fyne.NewPos(float32(at.X), float32(at.Y))
		}
	}
	s.press(desktop.MouseButtonPrimary)
}

// takeGround presses the wheel of the mouse, to move the picture.
func (s *set) takeGround() {
	size := s.canvas.Size()
	s.at = fyne.NewPos(size.Width/2, size.Height/2)
	s.press(desktop.MouseButtonTertiary)
}

func (s *set) press(button desktop.MouseButton) {
	s.canvas.MouseDown(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: s.at}, Button: button})
}

// drag moves what is held there and back.
func (s *set) drag(frame int) {
	const reach = 60
	off := frame%(2*reach) - reach
	to := s.at.AddXY(float32(max(off, -off)-reach), float32(max(off, -off)-reach)/2)
	s.canvas.Dragged(&fyne.DragEvent{PointEvent: fyne.PointEvent{Position: to}})
}

// zoom turns the wheel of the mouse, by less than a notch as touchpads do.
func (s *set) zoom(frame int) {
	const turn, by = 10, 4
	e := &fyne.ScrollEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(s.canvas.Size().Width/2, s.canvas.Size().Height/2)}}
	e.Scrolled.DY = by
	if frame/turn%2 == 0 {
		e.Scrolled.DY = -by
	}
	s.canvas.Scrolled(e)
}

// hover moves the mouse over the nodes.
func (s *set) hover(frame int) {
	size := s.canvas.Size()
	const pace = 7
	at := fyne.NewPos(float32(frame*pace%int(size.Width)), float32(frame*pace/2%int(size.Height)))
	s.canvas.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: at}})
}

// lattice returns a workflow of nodes in rows, with two wires for each.
func lattice(n int) func() *workflow.Definition {
	return func() *workflow.Definition {
		return grid(n, func(i int) workflow.Node {
			if i%5 == 4 {
				return workflow.Node{Type: "microblog.send_dm", Config: map[string]any{"credential": "microblog:main"}}
			}
			return workflow.Node{Type: "text.join", Config: map[string]any{"delimiter": ", "}}
		}, latticeWire)
	}
}

func latticeWire(from, to int) (output, input string) {
	output, input = "text", "parts"
	if from%5 == 4 {
		output = "message_id"
	}
	switch {
	case to%5 == 4 && from == to-1:
		input = "text"
	case to%5 == 4:
		input = "recipient_id"
	}
	return output, input
}

// slow returns a workflow that runs for a while, row beside row: each node waits.
func slow(n int) func() *workflow.Definition {
	return func() *workflow.Definition {
		return grid(n, func(i int) workflow.Node {
			const wait, spread = 150, 100 // milliseconds
			return workflow.Node{Type: "control.delay", Config: map[string]any{"ms": wait + i*37%spread}}
		}, func(from, to int) (output, input string) {
			if from == to-1 {
				return "value", "value"
			}
			return "", ""
		})
	}
}

// grid returns n nodes in rows, each with wires from the one before it and the one
// above it, unless wire says that there is none.
func grid(n int, node func(int) workflow.Node, wire func(from, to int) (output, input string)) *workflow.Definition {
	const perRow, across, down = 40, 240, 140
	def := &workflow.Definition{ID: "grid", Name: "Grid"}
	name := func(i int) string { return "n" + strconv.Itoa(i) }
	for i := range n {
		next := node(i)
		next.ID, next.Position = name(i), &workflow.Position{X: float64(i%perRow) * across, Y: float64(i/perRow) * down}
		def.Nodes = append(def.Nodes, next)
		for _, before := range []int{i - 1, i - perRow} {
			if before < 0 || before == i-1 && i%perRow == 0 {
				continue
			}
			if output, input := wire(before, i); output != "" {
				def.Connections = append(def.Connections, workflow.Connection{
					FromNodeID: name(before), FromPort: output, ToNodeID: name(i), ToPort: input,
				})
			}
		}
	}
	return def
}
