package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// callbackPath is the path of the redirect address. With the port it is the address to
// register at a network with REDIRECT_PORTS.
const callbackPath = "/callback"

// Loopback logs accounts in with a browser on this computer, which is redirected to a
// listener on 127.0.0.1 (RFC 8252 section 7.3). The zero Loopback opens no browser; set
// Open, ShowURL, or both.
type Loopback struct {
	// Open opens an address in the user's browser; see [SystemBrowser]. It runs in a
	// goroutine and may return when the browser ends: Login does not wait for it.
	Open func(address string) error
	// ShowURL is called with the address before a browser is opened, so that the user can
	// copy it if no browser appears. Do not log the address.
	ShowURL func(address string)
	// Timeout is how long the user may take; 0 is five minutes.
	Timeout time.Duration
}

const (
	defaultLoginTimeout = 5 * time.Minute
	// farewell is how long Login waits for the browser to load its last page.
	farewell = time.Second
)

// Login connects an account and returns its credential, which it does not store. Its
// listener is closed when it returns. Errors are those of [Login.Finish] except ErrState
// (the browser gets an error page, and Login continues to wait), [ErrTimeout],
// [ErrNotConfigured] if none of the client's ports is free, ctx's, and Open's if there is
// no ShowURL.
func (l Loopback) Login(ctx context.Context, client *Client) (credentials.Credential, error) {
	listener, err := listen(ctx, client)
	if err != nil {
		return credentials.Credential{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, l.timeout(), ErrTimeout)
	defer cancel()
	host := listener.Addr().String()
	login := client.Begin("http://" + host + callbackPath)
	callback := &callback{host: host, outcome: make(chan outcome, 1), finish: func(query url.Values) (credentials.Credential, error) {
		// Not the request's context: closing the browser must not cancel the exchange.
		c, err := login.Finish(ctx, query)
		if err != nil && ctx.Err() != nil && !errors.Is(err, ErrState) {
			err = context.Cause(ctx)
		}
		return c, err
	}}
	server := &http.Server{Handler: callback, ReadTimeout: 5 * time.Second, WriteTimeout: 2 * requestTimeout, MaxHeaderBytes: 32 << 10}
	server.SetKeepAlivesEnabled(false)
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // ends when the server is shut down
	}()
	c, err := l.wait(ctx, login.AuthorizeURL(), callback.outcome)
	shutdown(ctx, server)
	<-served
	return c, err
}

func (l Loopback) timeout() time.Duration {
	if l.Timeout == 0 {
		return defaultLoginTimeout
	}
	return l.Timeout
}

// listen opens the listener for the redirect.
func listen(ctx context.Context, client *Client) (net.Listener, error) {
	ports := client.RedirectPorts
	if len(ports) == 0 {
		ports = []int{0} // any free port
	}
	var config net.ListenConfig
	var taken []string
	for _, port := range ports {
		listener, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err == nil {
			return listener, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		taken = append(taken, strconv.Itoa(port))
	}
	return nil, fmt.Errorf("%w: no port of %s is free (%s)", ErrNotConfigured, client.entry.Variable(network.SettingRedirectPorts), strings.Join(taken, ", "))
}

// wait shows the user the login page and waits for the redirect.
func (l Loopback) wait(ctx context.Context, address string, back <-chan outcome) (credentials.Credential, error) {
	failed := l.show(address)
	select {
	case done := <-back:
		return done.credential, done.err
	case err := <-failed:
		return credentials.Credential{}, err
	case <-ctx.Done():
		return credentials.Credential{}, context.Cause(ctx)
	}
}

// show passes address to ShowURL and then to Open. The channel receives an error if neither
// shows it.
func (l Loopback) show(address string) (failed <-chan error) {
	if l.ShowURL != nil {
		l.ShowURL(address)
	}
	errs := make(chan error, 1)
	if l.Open != nil {
		go func() {
			if err := l.Open(address); err != nil && l.ShowURL == nil {
				errs <- errors.New("no browser could be opened on this computer")
			}
		}()
	}
	return errs
}

// shutdown waits until the browser has its page, but not for idle connections.
func shutdown(ctx context.Context, server *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // of connections only
	}
}

// callback handles the redirect.
type callback struct {
	host    string // the only accepted Host header
	finish  func(query url.Values) (credentials.Credential, error)
	outcome chan outcome // holds one
}

type outcome struct {
	credential credentials.Credential
	err        error
}

// ServeHTTP implements [http.Handler].
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path != callbackPath || r.Host != c.host:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	credential, err := c.finish(r.URL.Query())
	WritePage(w, err)
	if !errors.Is(err, ErrState) {
		c.outcome <- outcome{credential, err} // never blocks: a login ends once
	}
}
