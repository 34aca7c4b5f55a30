//go:build unix

// Package selfexec lets a test run its own binary as another process, which the test may kill.
package selfexec

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Environment variables with the role, the directory and the name of the process.
const (
	envRole = "SVC_STORE_TEST_ROLE"
	envDir  = "SVC_STORE_TEST_DIR"
	envName = "SVC_STORE_TEST_NAME"
)

// Main is for TestMain. In a process that [Start] has started it runs the role and exits;
// otherwise it runs the tests.
func Main(m *testing.M, roles map[string]func(dir, name string) error) {
	role, ok := roles[os.Getenv(envRole)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Getenv(envDir), os.Getenv(envName)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Process is another process of the test.
type Process struct {
	cmd    *exec.Cmd
	stdout *bufio.Scanner
}

// Start starts a process with a role of [Main].
func Start(t *testing.T, role, dir, name string) *Process {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envRole+"="+role, envDir+"="+dir, envName+"="+name)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &Process{cmd, bufio.NewScanner(stdout)}
}

// Line reads the next line that the process prints; false at the end.
func (p *Process) Line() (string, bool) {
	ok := p.stdout.Scan()
	return p.stdout.Text(), ok
}

// Number reads the next line as a number.
func (p *Process) Number() (int, bool) {
	line, ok := p.Line()
	n, err := strconv.Atoi(line)
	return n, ok && err == nil
}

// Wait waits for the process to end.
func (p *Process) Wait() error { return p.cmd.Wait() }

// Kill kills the process and waits for its end.
func (p *Process) Kill(t *testing.T) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	_ = p.cmd.Wait() // killed, so it returns an error
}

// KillSoon kills the process at a random time, and returns the lines that it printed since the last
// call of Line.
func (p *Process) KillSoon(t *testing.T, random *rand.Rand) []string {
	t.Helper()
	<-time.After(time.Duration(random.IntN(3000)) * time.Microsecond)
	require.NoError(t, p.cmd.Process.Kill())
	var lines []string
	for p.stdout.Scan() {
		lines = append(lines, p.stdout.Text())
	}
	require.Error(t, p.cmd.Wait())
	return lines
}
