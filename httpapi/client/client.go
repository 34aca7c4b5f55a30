// Package client talks to a Svc server: it checks, runs and keeps workflows there
// and follows runs through lost connections. It has the methods of app.App with
// the same meaning, so that a program can work with either.
//
// A [Client] retries nothing by itself but the stream of [Client.Events]. To start
// a run safely again after a lost answer, give run.Request an idempotency key.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/layout/cards"
	"github.com/svcflow/svc/engine/workflow"
)

// Config says which server a [Client] talks to.
type Config struct {
	// URL is where the service is mounted, prefix included, such as
	// "https://svc.example.org/flow".
	URL string
	// APIKey is the service's key; empty for one that asks for none.
	APIKey string
	// Transport carries the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// Client is a client of one server. It is safe for concurrent use and holds
// nothing that has to be closed.
type Client struct {
	base string // without a slash at the end
	key  string
	http *http.Client
}

// maxAnswer bounds the answers that are read: twice what one value may have.
const maxAnswer = 512 << 20

// New makes a client. Its error says what is wrong with c; whether the server
// answers, [Client.Health] tells.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, errors.New("the address of the server is not a URL") // which may hold a password
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, errors.New("the address of the server has to begin with http:// or https:// and a host")
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, errors.New("the address of the server is a URL without user, query and fragment; the key goes elsewhere")
	}
	return &Client{
		base: strings.TrimRight(u.String(), "/"), key: c.APIKey,
		http: &http.Client{Transport: c.Transport, CheckRedirect: refuseRedirect},
	}, nil
}

// URL returns where the service is mounted, without a slash at the end.
func (c *Client) URL() string { return c.base }

// refuseRedirect keeps the key from hosts that the user has not named.
func refuseRedirect(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("the server redirects to %s; use that address if you trust it", r.URL.Redacted())
}

// Health is what a server says about itself.
type Health struct {
	Status  string `json:"status"` // "ok"
	Service string `json:"service"`
	Version string `json:"version"`
}

// Health asks for the state of the server. It works without a key.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var h Health
	err := c.get(ctx, "/", &h)
	if err == nil && h.Service != "svc" {
		err = fmt.Errorf("%s is not a Svc server", c.base)
	}
	return h, err
}

// Admitted says whether the server takes the key of c, or asks for none: an [Error] with
// [CodeUnauthorized] if it does not. A key that may not do everything will do.
func (c *Client) Admitted(ctx context.Context) error {
	err := c.get(ctx, "/healthz", nil)
	if answered, ok := errors.AsType[*Error](err); ok && answered.Status == http.StatusForbidden {
		return nil
	}
	return err
}

// get decodes the JSON at a path.
func (c *Client) get(ctx context.Context, path string, into any) error {
	return c.call(ctx, http.MethodGet, path, nil, nil, into)
}

// post sends a body, or none if it is nil, and decodes the answer.
func (c *Client) post(ctx context.Context, path string, body []byte, into any) error {
	return c.call(ctx, http.MethodPost, path, nil, body, into)
}

// call makes one request and decodes its answer into what into points to; nil
// means that the answer has no body of interest.
func (c *Client) call(ctx context.Context, method, path string, header http.Header, body []byte, into any) error {
	answer, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return err
	}
	return c.decode(ctx, answer, into)
}

// decode decodes an answer as call does, and closes it.
func (c *Client) decode(ctx context.Context, answer *http.Response, into any) error {
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.lost(ctx, err)
	case len(text) > maxAnswer:
		return fmt.Errorf("the answer of %s has more than %d bytes", c.base, maxAnswer)
	case into == nil:
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("the answer of %s to %s %s cannot be read: %w", c.base, answer.Request.Method, answer.Request.URL.Path, err)
	}
	return nil
}

// send makes one request and returns an answer of success, which the caller has
// to close.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, body []byte) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(request.Header, header)
	return c.do(ctx, request)
}

// do is send for a request that is made already, but for what all of them have.
func (c *Client) do(ctx context.Context, request *http.Request) (*http.Response, error) {
	if request.Header.Get("Accept") == "" {
		request.Header.Set("Accept", "application/json")
	}
	if c.key != "" {
		request.Header.Set("Authorization", "Bearer "+c.key)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, c.lost(ctx, err)
	}
	if answer.StatusCode >= http.StatusMultipleChoices {
		defer answer.Body.Close()
		return nil, readError(answer)
	}
	return answer, nil
}

// lost words a failure to talk to the server.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the address, which it would repeat
	}
	return fmt.Errorf("%w: %s: %w; check the address, and whether the server runs", ErrUnreachable, c.base, err)
}

// Validate returns everything that is wrong with a workflow; see app.App.
func (c *Client) Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error) {
	body, err := def.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var problems engine.ValidationErrors
	err = c.post(ctx, "/validate", body, &problems)
	return problems, err
}

// Hints returns doubts about a workflow that can run; see app.App. If it is
// invalid, the error is [engine.ValidationErrors].
func (c *Client) Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error) {
	body, err := def.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var hints []engine.Hint
	err = c.post(ctx, "/hints", body, &hints)
	return hints, err
}

// Layout returns where everything of a workflow goes when it is arranged; see app.App.
func (c *Client) Layout(ctx context.Context, def *workflow.Definition) (cards.Layout, error) {
	var l cards.Layout
	body, err := def.MarshalJSON()
	if err != nil {
		return l, err
	}
	err = c.post(ctx, "/layout", body, &l)
	return l, err
}
