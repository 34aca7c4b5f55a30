// Package client talks to a Svc server: it validates, runs and stores workflows there, and follows
// runs across lost connections. It has the methods of app.App with the same meaning, so that a
// program can use either.
//
// A [Client] retries only the stream of [Client.Events]. To repeat a start safely after a lost
// answer, set an idempotency key in run.Request.
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

// Config configures a [Client].
type Config struct {
	// URL is the address of the service, including its prefix, such as
	// "https://svc.example.org/flow".
	URL string
	// APIKey is the key of the service; empty if it requires none.
	APIKey string
	// Transport sends the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
}

// Client is a client of one server. It is safe for concurrent use and need not be closed.
type Client struct {
	base string // without a slash at the end
	key  string
	http *http.Client
}

// maxAnswer limits the answers that are read: twice the size of the largest value.
const maxAnswer = 512 << 20

// New makes a client. It returns an error if c is invalid. To check whether the server answers, use
// [Client.Health].
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, errors.New("the address of the server is not a URL") // the URL may contain a password
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

// URL returns the address of the service, without a slash at the end.
func (c *Client) URL() string { return c.base }

// refuseRedirect prevents that the key is sent to hosts that the user has not chosen.
func refuseRedirect(r *http.Request, _ []*http.Request) error {
	return fmt.Errorf("the server redirects to %s; use that address if you trust it", r.URL.Redacted())
}

// Health is the health check of a server.
type Health struct {
	Status  string `json:"status"` // "ok"
	Service string `json:"service"`
	Version string `json:"version"`
}

// Health returns the health check of the server. It works without a key.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var h Health
	err := c.get(ctx, "/", &h)
	if err == nil && h.Service != "svc" {
		err = fmt.Errorf("%s is not a Svc server", c.base)
	}
	return h, err
}

// Admitted checks whether the server accepts the key of the client, or requires none. Otherwise it
// returns an [Error] with [CodeUnauthorized]. A key with limited scopes is enough.
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

// call sends a request and decodes its answer into the value that into points to; nil ignores the
// answer.
func (c *Client) call(ctx context.Context, method, path string, header http.Header, body []byte, into any) error {
	answer, err := c.send(ctx, method, path, header, body)
	if err != nil {
		return err
	}
	return c.decode(ctx, answer, into)
}

// decode decodes an answer like call, and closes it.
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

// send sends a request and returns a successful answer, which the caller must close.
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

// do is send for an existing request. It adds the common headers.
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

// lost describes a failure to reach the server.
func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the URL, which the message below has
	}
	return fmt.Errorf("%w: %s: %w; check the address, and whether the server runs", ErrUnreachable, c.base, err)
}

// Validate returns all problems of a workflow; see app.App.
func (c *Client) Validate(ctx context.Context, def *workflow.Definition) (engine.ValidationErrors, error) {
	body, err := def.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var problems engine.ValidationErrors
	err = c.post(ctx, "/validate", body, &problems)
	return problems, err
}

// Hints returns warnings about a valid workflow; see app.App. If the workflow is invalid, the error
// is [engine.ValidationErrors].
func (c *Client) Hints(ctx context.Context, def *workflow.Definition) ([]engine.Hint, error) {
	body, err := def.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var hints []engine.Hint
	err = c.post(ctx, "/hints", body, &hints)
	return hints, err
}

// Layout returns an automatic layout of a workflow; see app.App.
func (c *Client) Layout(ctx context.Context, def *workflow.Definition) (cards.Layout, error) {
	var l cards.Layout
	body, err := def.MarshalJSON()
	if err != nil {
		return l, err
	}
	err = c.post(ctx, "/layout", body, &l)
	return l, err
}
