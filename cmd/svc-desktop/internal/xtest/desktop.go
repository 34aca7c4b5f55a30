//go:build linux

package xtest

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/internal/built"
)

// patience is how long to wait for something on the screen. Machines that run tests draw in
// software and may be busy.
const patience = time.Minute

// Desktop is a user with a home and a screen without a window manager: the first window is at
// the upper left, and the window under the mouse has the keyboard. It ends with its test, as
// do all programs started on it.
type Desktop struct {
	t       testing.TB
	program string
	home    string
	env     []string
	size    image.Point
	frame   string // the file with the pixels of the screen
}

// Start makes a desktop for the built svc-desktop, with a screen of this size in pixels.
func Start(t testing.TB, width, height int) *Desktop {
	t.Helper()
	return StartWith(t, built.Program(t, "svc-desktop"), width, height)
}

// StartWith makes a desktop for a program.
func StartWith(t testing.TB, program string, width, height int) *Desktop {
	t.Helper()
	home := t.TempDir()
	d := &Desktop{t: t, program: program, home: home, size: image.Pt(width, height), frame: filepath.Join(home, "screen", "Xvfb_screen0")}
	for _, dir := range []string{"screen", "run"} {
		require.NoError(t, os.Mkdir(filepath.Join(home, dir), 0o700))
	}
	d.env = []string{
		"PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(),
		"HOME=" + home, "XDG_RUNTIME_DIR=" + filepath.Join(home, "run"),
		// The one locale that is always there and has letters beyond ASCII.
		"LANG=C.UTF-8", "LANGUAGE=en", "LIBGL_ALWAYS_SOFTWARE=1", "FYNE_SCALE=1",
		// Without a bus, the machine's own desktop cannot interfere.
		"DBUS_SESSION_BUS_ADDRESS=disabled:", "NO_AT_BRIDGE=1",
	}
	d.display(width, height)
	return d
}

// display starts the X server.
func (d *Desktop) display(width, height int) {
	number, told, err := os.Pipe()
	require.NoError(d.t, err)
	defer number.Close() //nolint:errcheck // it was only read
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", screen(width, height),
		"-fbdir", filepath.Dir(d.frame), "-nolisten", "tcp", "-noreset", "-nocursor")
	server.ExtraFiles = []*os.File{told}
	server.Env = d.env
	d.start(server, io.Discard)
	require.NoError(d.t, told.Close())
	require.NoError(d.t, number.SetReadDeadline(time.Now().Add(patience)))
	line, err := bufio.NewReader(number).ReadString('\n')
	require.NoError(d.t, err, "Xvfb names no display")
	d.Setenv("DISPLAY", ":"+strings.TrimSpace(line))
}

// Setenv sets an environment variable for programs started from now on.
func (d *Desktop) Setenv(name, value string) { d.env = append(d.env, name+"="+value) }

// Setenvs sets several variables.
func (d *Desktop) Setenvs(all map[string]string) {
	for name, value := range all {
		d.Setenv(name, value)
	}
}

// Home returns a path in the home of the user.
func (d *Desktop) Home(elem ...string) string {
	return filepath.Join(append([]string{d.home}, elem...)...)
}

// Size is the size of the screen in pixels.
func (d *Desktop) Size() image.Point { return d.size }

// start runs cmd and its child processes until the test ends. ended is closed when cmd has
// ended.
func (d *Desktop) start(cmd *exec.Cmd, output io.Writer) (ended <-chan struct{}) {
	d.t.Helper()
	cmd.Stderr = output
	cmd.Dir = d.home
	// A process group, to end it as a whole; and if the test is killed, the process dies,
	// too.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	require.NoError(d.t, cmd.Start())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = cmd.Wait() // its state has the result
	}()
	d.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // fails if it has ended
		<-done
	})
	return done
}

// tool runs a program of the desktop and returns what it prints.
func (d *Desktop) tool(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = d.env
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
