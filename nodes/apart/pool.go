package apart

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

// idleFor is how long an idle child is kept.
const idleFor = time.Minute

// Pool has the children of a plugin: at most one for each processor. It starts them when
// they are needed.
type Pool struct {
	command func() *exec.Cmd
	seats   *semaphore.Weighted

	mu     sync.Mutex
	idle   []*child
	closed bool
}

// New returns a pool. command makes a process that calls [Serve] with its standard input and
// output.
func New(command func() *exec.Cmd) *Pool {
	return &Pool{command: command, seats: semaphore.NewWeighted(int64(max(2, runtime.NumCPU())))}
}

// Do sends a message to the next free child and returns its answer, of at most the given
// bytes. A child that dies is replaced; the error is a [Gone].
func (p *Pool) Do(ctx context.Context, m Message, most int) (Message, error) {
	if err := p.seats.Acquire(ctx, 1); err != nil {
		return Message{}, err
	}
	defer p.seats.Release(1)
	for {
		c, err := p.take()
		if err != nil {
			return Message{}, err
		}
		answer, err := c.exchange(ctx, m, most)
		if err == nil {
			c.used = true
			p.give(c)
			return answer, nil
		}
		gone := c.end()
		if ctx.Err() != nil {
			return Message{}, ctx.Err()
		}
		if !c.used || !isBroken(err) { // one that has died while nobody needed it says nothing about this message
			return Message{}, errors.Join(gone, err)
		}
	}
}

// take returns an idle child, or starts one.
func (p *Pool) take() (*child, error) {
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

// give puts a child back that can be used again.
func (p *Pool) give(c *child) {
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
func (p *Pool) dismiss(c *child) {
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

// Close ends all idle children; the others end after their current message.
func (p *Pool) Close() error {
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

// isBroken reports whether a child was gone before it took a message.
func isBroken(err error) bool { return errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) }
