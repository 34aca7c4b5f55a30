package media

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxFetched is how many bytes a file from the web may have.
const maxFetched = 10 << 30

// RecipeOf returns the recipe of a media value.
func (t *Tools) RecipeOf(ctx context.Context, m value.Media) (Recipe, error) {
	switch {
	case m.Recipe != "":
		return Parse(m.Recipe)
	case m.URL != "":
		path, err := t.Fetch(ctx, m.URL)
		if err != nil {
			return Recipe{}, err
		}
		m.Path = path
	}
	s, err := t.Probe(ctx, m.Path, m.Kind)
	return Of(s), err
}

// Fetch downloads a file with the HTTP client of workflows, which enforces the rules on
// addresses, and returns its path.
func (t *Tools) Fetch(ctx context.Context, url string) (string, error) {
	if err := t.configured(); err != nil {
		return "", err
	}
	if t.HTTP == nil {
		return "", node.Errorf(node.CodeForbidden, "workflows may not make HTTP requests here")
	}
	if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
		return "", refused("the address has to begin with https:// or http://")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", refused("the address cannot be read")
	}
	resp, err := t.HTTP.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		return "", unfetched(req.URL.Host, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", node.Errorf(node.CodeFailed, "%s answered with status %d instead of the file", req.URL.Host, resp.StatusCode)
	}
	ending := strings.TrimPrefix(path.Ext(req.URL.Path), ".")
	if len(ending) > 8 || ending == "" || strings.ContainsFunc(ending, func(r rune) bool { return !plain(r) }) {
		ending = "bin"
	}
	name, err := t.Place(ctx, "", "fetched."+ending)
	if err != nil {
		return "", err
	}
	body := &io.LimitedReader{R: resp.Body, N: maxFetched + 1}
	if err := t.save(ctx, name, body); err != nil {
		return "", err
	}
	if body.N == 0 {
		_ = t.Files.Remove(name)
		return "", limited("what %s sends has more than 10 GiB", req.URL.Host)
	}
	return name, nil
}

// unfetched makes the failure of a download. Refused addresses keep their own message.
func unfetched(host string, err error) error {
	if code := node.CodeOf(err); code != node.CodeFailed {
		return err
	}
	return node.Errorf(node.CodeUnavailable, "%s cannot be reached", host)
}

// plain reports whether a character may be in a file name extension.
func plain(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// Keep stores a file among the files of the run, if it is media of the given kind.
func (t *Tools) Keep(ctx context.Context, content []byte, ending, kind string) (value.Media, Facts, error) {
	if err := t.configured(); err != nil {
		return value.Media{}, Facts{}, err
	}
	name, err := t.Place(ctx, "", ending)
	if err != nil {
		return value.Media{}, Facts{}, err
	}
	if err := t.save(ctx, name, bytes.NewReader(content)); err != nil {
		return value.Media{}, Facts{}, err
	}
	s, err := t.Probe(ctx, name, kind)
	if err != nil {
		_ = t.Files.Remove(name) // the file cannot be used
		return value.Media{}, Facts{}, err
	}
	return value.Media{Kind: kind, MIME: Target{Format: ending}.MIME(kind), Path: name}, s.Facts, nil
}

// places limits how many processes run at once. Waiting nodes are served in order of
// arrival, and show how many are before them.
type places struct {
	all   int
	mu    sync.Mutex
	free  int
	queue []*waiter
}

type waiter struct {
	granted chan struct{}
	before  chan int // buffers only the latest number
}

func newPlaces(n int) *places { return &places{all: n, free: n} }

// load returns how many processes run, and how many nodes wait.
func (p *places) load() (running, waiting int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all - p.free, len(p.queue)
}

// take waits for a place, and returns a function that releases it.
func (p *places) take(ctx context.Context) (release func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	p.mu.Lock()
	if p.free > 0 {
		p.free--
		p.mu.Unlock()
		return p.release, nil
	}
	w := &waiter{make(chan struct{}), make(chan int, 1)}
	p.queue = append(p.queue, w)
	w.before <- len(p.queue) - 1
	p.mu.Unlock()
	for {
		select {
		case <-w.granted:
			return p.release, nil
		case n := <-w.before:
			node.Progress(ctx, 0, 0, fmt.Sprintf("waiting for a place, %d before it", n))
		case <-ctx.Done():
			p.leave(w)
			return nil, context.Cause(ctx)
		}
	}
}

// leave removes a waiter from the queue, or releases the place that it was just given.
func (p *places) leave(w *waiter) {
	p.mu.Lock()
	at := slices.Index(p.queue, w)
	if at >= 0 {
		p.queue = slices.Delete(p.queue, at, at+1)
		p.tell()
	}
	p.mu.Unlock()
	if at < 0 {
		p.release()
	}
}

func (p *places) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.queue) == 0 {
		p.free++
		return
	}
	close(p.queue[0].granted)
	p.queue = slices.Delete(p.queue, 0, 1)
	p.tell()
}

// tell updates all waiting nodes with the number of those before them.
func (p *places) tell() {
	for i, w := range p.queue {
		select {
		case <-w.before:
		default:
		}
		w.before <- i
	}
}
