package code

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// child is a process that runs scripts.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	said   *tail
	used   bool
	expire *time.Timer // ends it, when it is idle
}

// errGone says that a child ended before it answered.
type errGone struct{ how string }

func (e errGone) Error() string { return e.how }

// start begins a child with an environment that tells it nothing.
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

// exchange sends a request and returns what comes of it. A child of which the context ends
// is killed, and so no more use, as one whose error this is.
func (c *child) exchange(ctx context.Context, req *request, values []byte) (*reply, []byte, error) {
	stop := context.AfterFunc(ctx, c.kill)
	r, result, err := c.talk(req, values)
	if !stop() && ctx.Err() != nil {
		err = ctx.Err()
	}
	return r, result, err
}

func (c *child) talk(req *request, values []byte) (*reply, []byte, error) {
	head, err := json.Marshal(req)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(writeFrame(c.in, head), writeFrame(c.in, values)); err != nil {
		return nil, nil, err
	}
	most := req.MemoryMB<<20 + 1<<20 // a script has no memory for more
	text, err := readFrame(c.out, most)
	if err != nil {
		return nil, nil, err
	}
	result, err := readFrame(c.out, most)
	if err != nil {
		return nil, nil, err
	}
	r := &reply{}
	return r, result, json.Unmarshal(text, r)
}

func (c *child) kill() { _ = c.cmd.Process.Kill() } // it has ended if that fails

// end waits for a child that was killed or has ended by itself, and says how.
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
	return errGone{how}
}

// tail keeps the beginning of what a child says before it dies.
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
