//go:build linux

package xtest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
)

// Script runs lines, each an xdotool command, as fast as the X server takes them.
func (d *Desktop) Script(lines []string) {
	d.t.Helper()
	cmd := exec.Command("xdotool", "-")
	cmd.Env = d.env
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	require.NoError(d.t, err, "xdotool: %s", out)
}

// Ended reports whether the program has ended, and its exit status.
func (p *Program) Ended() (status int, ended bool) {
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), true
	default:
		return 0, false
	}
}

// Rests waits until the program is idle, or has ended. A program that never becomes idle
// hangs.
func (p *Program) Rests() {
	p.d.t.Helper()
	const look, most = 100 * time.Millisecond, 3 // hundredths of a second of a processor
	const looks = 3                              // in a row: on a busy machine the program may wait for a processor
	deadline := time.Now().Add(4 * patience)
	for last, calm := p.ticks(), 0; ; {
		select {
		case <-p.ended:
			return
		case <-time.After(look):
		}
		now := p.ticks()
		if calm++; now-last > most {
			calm = 0
		}
		if calm == looks {
			return
		}
		last = now
		require.True(p.d.t, time.Now().Before(deadline), "the program never rests: %s", p.Log())
	}
}

// ticks returns the CPU time of the program, in hundredths of a second.
func (p *Program) ticks() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0 // it has ended
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	const user, system = 11, 12 // after the name; see proc(5)
	if len(fields) <= system {
		return 0
	}
	u, _ := strconv.Atoi(fields[user])
	s, _ := strconv.Atoi(fields[system])
	return u + s
}

// Memory returns the resident memory of the program in bytes; 0 once it has ended.
func (p *Program) Memory() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseInt(fields[0], 10, 64)
	return kb << 10
}
