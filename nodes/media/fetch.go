package media

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"path"
	"strings"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// maxFetched is how many bytes a file from the web may have.
const maxFetched = 10 << 30

// RecipeOf returns how a piece of media is made.
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

// Fetch gets a file from the web through the client of workflows, which decides about
// addresses, and returns where it is kept.
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

// unfetched words why a request came to nothing. The rules of addresses word theirs
// themselves.
func unfetched(host string, err error) error {
	if code := node.CodeOf(err); code != node.CodeFailed {
		return err
	}
	return node.Errorf(node.CodeUnavailable, "%s cannot be reached", host)
}

// plain reports whether a character may stand in the ending of a file's name.
func plain(r rune) bool { return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

// Keep keeps what somebody has made with the run, if it is media of a kind.
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
		_ = t.Files.Remove(name) // it is of no use
		return value.Media{}, Facts{}, err
	}
	return value.Media{Kind: kind, MIME: Target{Format: ending}.MIME(kind), Path: name}, s.Facts, nil
}
