package code

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/semaphore"
)

// idleFor is how long a child waits for another script before it ends.
const idleFor = time.Minute

// pool has the children of a plugin: as many as there are processors, and none before
// the first script.
type pool struct {
	command func() *exec.Cmd
	seats   *semaphore.Weighted

	mu     sync.Mutex
	idle   []*child
	closed bool
}

func newPool(command func() *exec.Cmd) *pool {
	return &pool{command: command, seats: semaphore.NewWeighted(int64(max(2, runtime.NumCPU())))}
}

// run has a script run by the next child that is free. One that dies is replaced; its
// error is an errGone.
func (p *pool) run(ctx context.Context, req *request, values []byte) (*reply, []byte, error) {
	if err := p.seats.Acquire(ctx, 1); err != nil {
		return nil, nil, err
	}
	defer p.seats.Release(1)
	for {
		c, err := p.take()
		if err != nil {
			return nil, nil, err
		}
		r, result, err := c.exchange(ctx, req, values)
		if err == nil {
			c.used = true
			p.give(c)
			return r, result, nil
		}
		gone := c.end()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if !c.used || !isBroken(err) { // one that has died while nobody needed it says nothing about this script
			return nil, nil, errors.Join(gone, err)
		}
	}
}

// take returns a child that nobody else has.
func (p *pool) take() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		c := p.idle[n-1]
		p.idle = p.idle[:n-1]
		c.expire.Stop()
		return c, nil
	}
	return start(p.command)
}

// give takes a child back that can be used again.
func (p *pool) give(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		_ = c.end() // it is not needed any more
		return
	}
	c.expire = time.AfterFunc(idleFor, func() { p.dismiss(c) })
	p.idle = append(p.idle, c)
}

// dismiss ends a child that is still idle.
func (p *pool) dismiss(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range p.idle {
		if p.idle[i] == c {
			p.idle = append(p.idle[:i], p.idle[i+1:]...)
			_ = c.end() // it is not needed any more
			return
		}
	}
}

// Close ends all children that are idle; the others end with their scripts.
func (p *pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		c.expire.Stop()
		_ = c.end() // they are not needed any more
	}
	p.idle = nil
	return nil
}

// isBroken reports whether a child was gone before it took a script.
func isBroken(err error) bool { return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) }
