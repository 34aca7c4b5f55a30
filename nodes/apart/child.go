package apart

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// child is a child process.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	said   *tail
	used   bool
	expire *time.Timer // ends it, when it is idle
}

// Gone is the error of a child that ended before it answered.
type Gone struct{ How string }

// Error implements error.
func (g Gone) Error() string { return g.How }

// start starts a child with an empty environment.
func start(command func() *exec.Cmd) (*child, error) {
	c := &child{cmd: command(), said: &tail{}}
	c.cmd.Env = append(c.cmd.Env, "TZ=UTC", "LANG=C.UTF-8", "GOTRACEBACK=none", fmt.Sprint("GOMAXPROCS=", min(2, runtime.NumCPU())), "GOGC=50")
	c.cmd.Dir = "/"
	if runtime.GOOS == "windows" {
		c.cmd.Dir = ""
	}
	c.cmd.Stderr, c.cmd.WaitDelay = c.said, time.Second
	apart(c.cmd)
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out = in, bufio.NewReaderSize(out, 64<<10)
	return c, c.cmd.Start()
}

// exchange sends a message and returns the answer. If ctx ends, the child is killed. After
// an error the child must not be used again.
func (c *child) exchange(ctx context.Context, m Message, most int) (answer Message, err error) {
	stop := context.AfterFunc(ctx, c.kill)
	if err = write(c.in, m); err == nil {
		answer, err = read(c.out, most)
	}
	if !stop() && ctx.Err() != nil {
		err = ctx.Err()
	}
	return answer, err
}

func (c *child) kill() { _ = c.cmd.Process.Kill() } // it has ended if that fails

// end waits for a child that was killed or has ended, and returns how it ended.
func (c *child) end() error {
	c.kill()
	_ = c.in.Close()
	err := c.cmd.Wait()
	how := "it ended by itself"
	if err != nil {
		how = err.Error()
	}
	if said := c.said.first(); said != "" {
		how += ": " + said
	}
	return Gone{how}
}

// tail keeps the beginning of a child's standard error.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := 512 - t.text.Len(); room > 0 {
		t.text.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func (t *tail) first() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	line, _, _ := strings.Cut(strings.TrimSpace(t.text.String()), "\n")
	return line
}
