package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rivo/uniseg"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// openTerminal returns the two ends of a pseudo-terminal: what a program sees,
// and what shows on its screen.
func openTerminal(t *testing.T) (program, screen *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	fd := int(screen.Fd())
	require.NoError(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	require.NoError(t, err)
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 30}))
	return program, screen
}

// shown runs a workflow with standard error on a terminal, and returns what that
// shows.
func shown(t *testing.T, variables map[string]string) string {
	t.Helper()
	program, screen := openTerminal(t)
	var out bytes.Buffer
	done := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(screen) // ends with EIO once the program has closed its end
		done <- string(text)
	}()
	status := execute(t.Context(), []string{"run", "template:foreach-concurrent"}, nil, &out, program,
		func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
	require.NoError(t, program.Close())
	text := <-done
	require.NoError(t, screen.Close())
	require.Zero(t, status, text)
	require.Contains(t, out.String(), "squares: [1,4,16]\n")
	require.NotContains(t, out.String(), "\x1b", "outputs are never coloured")
	return text
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

func TestRunOnATerminal(t *testing.T) {
	text := shown(t, map[string]string{"TERM": "xterm"})
	require.Contains(t, text, green+"✓"+plain+" each  ")
	require.Contains(t, text, "12 inside")
	for line := range strings.Lines(escapes.ReplaceAllString(text, "")) {
		require.LessOrEqual(t, uniseg.StringWidth(strings.TrimRight(line, "\r\n")), 30, "no line wraps: %q", line)
	}
	for _, variables := range []map[string]string{{"TERM": "dumb"}, {"TERM": "xterm", "NO_COLOR": "1"}} {
		text := shown(t, variables)
		require.NotContains(t, text, "\x1b")
		require.Contains(t, text, "✓ each  ")
	}
}
