//go:build linux && cgo && !ci

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"github.com/svcflow/svc/ui"
	"github.com/svcflow/svc/ui/canvas"
)

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

// start begins to count frames: animations run for each, right before it is painted.
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

// end reports the cost of the scene.
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

// profile starts a CPU profile if one is requested.
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

// wide shows the whole workflow and then calls then.
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
	for i := range b.Document().Cards() {
		at := b.View.ToScreen(b.Document().Cards()[i].Rect.Center())
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
