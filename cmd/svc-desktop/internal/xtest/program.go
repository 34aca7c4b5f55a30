//go:build linux

package xtest

import (
	"bytes"
	"image"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// Program is a running svc-desktop, or another program.
type Program struct {
	d     *Desktop
	cmd   *exec.Cmd
	log   output
	ended <-chan struct{}
}

// Launch starts the program without waiting.
func (d *Desktop) Launch(args ...string) *Program {
	d.t.Helper()
	return d.Start(d.program, args...)
}

// Start starts another program of the user's and waits for nothing.
func (d *Desktop) Start(program string, args ...string) *Program {
	d.t.Helper()
	p := &Program{d: d, cmd: exec.Command(program, args...)}
	p.cmd.Env = d.env
	p.cmd.Stdout = &p.log
	p.ended = d.start(p.cmd, &p.log)
	return p
}

// Open starts the program and waits until its window has been drawn.
func (d *Desktop) Open(args ...string) *Program {
	d.t.Helper()
	p := d.Launch(args...)
	p.AwaitTitle("")
	d.Await("a window that shows something", func(s *Screen) bool { return s.Colors(s.Bounds()) > 8 })
	return p
}

// AwaitTitle waits for a window whose title contains this text, and returns its bounds.
func (p *Program) AwaitTitle(part string) image.Rectangle {
	p.d.t.Helper()
	var found image.Rectangle
	p.await("a window called "+strconv.Quote(part), func() bool {
		if id := p.window(part); id != "" {
			found = p.moveIntoView(id)
		}
		return !found.Empty()
	})
	return found
}

// Fill resizes the window whose title contains this text to the whole screen.
func (p *Program) Fill(part string) {
	p.d.t.Helper()
	p.Put(part, image.Rectangle{Max: p.d.size})
}

// Put moves the window whose title contains this text. A new window may still change its own
// size after that: then it is moved again.
func (p *Program) Put(part string, to image.Rectangle) {
	p.d.t.Helper()
	p.AwaitTitle(part)
	id, put := p.window(part), time.Time{}
	p.await("the window to be where it was put", func() bool {
		if p.moveIntoView(id) == to {
			return true
		}
		if time.Since(put) > time.Second {
			put = time.Now()
			_, err := p.d.tool("xdotool", "windowsize", id, strconv.Itoa(to.Dx()), strconv.Itoa(to.Dy()),
				"windowmove", id, strconv.Itoa(to.Min.X), strconv.Itoa(to.Min.Y))
			require.NoError(p.d.t, err)
		}
		return false
	})
}

// Focus focuses the window whose title contains this text.
func (p *Program) Focus(part string) {
	p.d.t.Helper()
	p.AwaitTitle(part)
	_, err := p.d.tool("xdotool", "windowfocus", "--sync", p.window(part))
	require.NoError(p.d.t, err)
}

// Windows returns the number of visible windows of the program.
func (p *Program) Windows() int { return len(p.windows()) }

// window returns the id of the window whose title contains this text; "" without one.
func (p *Program) window(part string) string {
	for _, id := range p.windows() {
		title, err := p.d.tool("xdotool", "getwindowname", id)
		if err == nil && title != "" && strings.Contains(title, part) {
			return id
		}
	}
	return ""
}

// windows returns the ids of the program's visible windows.
func (p *Program) windows() []string {
	ids, err := p.d.tool("xdotool", "search", "--onlyvisible", "--name", ".")
	if err != nil {
		return nil // none
	}
	return strings.Fields(ids)
}

// moveIntoView returns where a window is.
func (p *Program) moveIntoView(id string) image.Rectangle {
	text, err := p.d.tool("xdotool", "getwindowgeometry", "--shell", id)
	if err != nil {
		return image.Rectangle{}
	}
	at := map[string]int{}
	for line := range strings.Lines(text) {
		name, number, _ := strings.Cut(strings.TrimSpace(line), "=")
		at[name], _ = strconv.Atoi(number)
	}
	return image.Rect(at["X"], at["Y"], at["X"]+at["WIDTH"], at["Y"]+at["HEIGHT"])
}

// await waits for a condition, or the end of the program.
func (p *Program) await(what string, so func() bool) {
	p.d.t.Helper()
	deadline := time.Now().Add(patience)
	for !so() {
		select {
		case <-p.ended:
			require.FailNow(p.d.t, "the program has ended", "waiting for %s: %s", what, p.Log())
		case <-time.After(20 * time.Millisecond):
		}
		require.True(p.d.t, time.Now().Before(deadline), "waiting for %s: %s", what, p.Log())
	}
}

// Kill kills the program, and waits for its end.
func (p *Program) Kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	<-p.ended
}

// Stop terminates the program, as the end of a session does, and returns its exit status.
func (p *Program) Stop() int {
	p.d.t.Helper()
	require.NoError(p.d.t, p.cmd.Process.Signal(syscall.SIGTERM))
	return p.Wait()
}

// Wait waits until the program has ended and returns its exit status.
func (p *Program) Wait() int {
	p.d.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		require.FailNow(p.d.t, "the program does not end", p.Log())
	}
	return p.cmd.ProcessState.ExitCode()
}

// AwaitLog waits until the program has printed a text.
func (p *Program) AwaitLog(text string) {
	p.d.t.Helper()
	p.await("it to print "+strconv.Quote(text), func() bool { return strings.Contains(p.Log(), text) })
}

// Log returns what the program has printed.
func (p *Program) Log() string { return p.log.text() }

// output collects what a program prints.
type output struct {
	mu  sync.Mutex
	all bytes.Buffer
}

// Write implements [io.Writer].
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.Write(text)
}

func (o *output) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all.String()
}
