package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// session is a program that a script has started and talks to while it runs.
type session struct {
	ctx    context.Context // bounds the script; nothing else knows it
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr strings.Builder // the lines read so far
	lines  chan string     // of standard error; closed at its end
}

type sessionKey struct{}

func sessionOf(ts *testscript.TestScript) *session { return ts.Value(sessionKey{}).(*session) }

func (p *session) kill() {
	if p.cmd != nil {
		_ = p.cmd.Process.Kill()
		for range p.lines {
		}
		_ = p.cmd.Wait()
	}
}

// start PROGRAM ARGS… runs a program in the background. A script has one at a
// time.
func startCommand(ts *testscript.TestScript, neg bool, args []string) {
	p := sessionOf(ts)
	if neg || len(args) == 0 || p.cmd != nil {
		ts.Fatalf("usage: start program args..., one program at a time")
	}
	*p = session{ctx: p.ctx, cmd: exec.CommandContext(p.ctx, args[0], args[1:]...), lines: make(chan string, 1000)}
	program, err := exec.LookPath(args[0])
	ts.Check(err)
	p.cmd.Path, p.cmd.Err = program, nil
	p.cmd.Dir = ts.MkAbs(".")
	p.cmd.Env = environ(ts)
	p.cmd.Stdout = &p.stdout
	stderr, err := p.cmd.StderrPipe()
	ts.Check(err)
	ts.Check(p.cmd.Start())
	go func() {
		defer close(p.lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			p.lines <- s.Text()
		}
	}()
}

// environ returns the variables that a script may set for what it starts.
func environ(ts *testscript.TestScript) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SVC_API_KEY", "SVC_ADDR", "SVC_DATA", "NO_COLOR"} {
		if v := ts.Getenv(name); v != "" {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// await PATTERN waits for a line of standard error that matches, and puts the
// first group of the match into $MATCH.
func awaitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await pattern")
	}
	pattern := regexp.MustCompile(args[0])
	p := sessionOf(ts)
	for line := range p.lines {
		p.stderr.WriteString(line + "\n")
		if m := pattern.FindStringSubmatch(line); m != nil {
			if len(m) > 1 {
				ts.Setenv("MATCH", m[1])
			}
			return
		}
	}
	ts.Fatalf("the program ended without a line that matches %s:\n%s", args[0], p.stderr.String())
}

// signal INT|TERM|HUP sends a signal to the program.
func signalCommand(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	if neg || len(args) != 1 || signals[args[0]] == 0 {
		ts.Fatalf("usage: signal INT|TERM|HUP")
	}
	ts.Check(sessionOf(ts).cmd.Process.Signal(signals[args[0]]))
}

// finish STATUS waits for the end of the program and checks its exit status.
// Then stdout and stderr are what it printed. A program that a signal has ended
// has the status of a shell, 128 and the number of the signal.
func finishCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: finish status")
	}
	p := sessionOf(ts)
	for line := range p.lines {
		p.stderr.WriteString(line + "\n")
	}
	_ = p.cmd.Wait() // the status says it
	state := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	status := state.ExitStatus()
	if state.Signaled() {
		status = 128 + int(state.Signal())
	}
	_, _ = ts.Stdout().Write(p.stdout.Bytes())
	_, _ = ts.Stderr().Write([]byte(p.stderr.String()))
	p.cmd = nil
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("exit status %d, want %s:\n%s", status, args[0], p.stderr.String())
	}
}

// status ARGS… STATUS runs svc with args and checks the exit status.
func statusCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status args... status")
	}
	err := ts.Exec("svc", args[:len(args)-1]...)
	status := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		status = exit.ExitCode()
	}
	if want := args[len(args)-1]; strconv.Itoa(status) != want {
		ts.Fatalf("exit status %d, want %s", status, want)
	}
}

// secret FILE LOG fails if the content of FILE is in LOG.
func secretCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: secret file log")
	}
	if strings.Contains(ts.ReadFile(args[1]), strings.TrimSpace(ts.ReadFile(args[0]))) {
		ts.Fatalf("%s shows the secret in %s", args[1], args[0])
	}
}
