package service

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svcflow/svc/credentials"
)

// Config is what the plugin of a network is made from. The zero Config is for
// looking at node types: every call fails for want of an address.
type Config struct {
	// Getenv reads the operator's settings; nil means that nothing is set.
	Getenv func(name string) string
	// Credentials is where tokens come from. If it is a [Renewer], a token that the
	// network rejects is renewed once.
	Credentials credentials.Provider
	// Transport carries the requests to the network's hosts, which the operator has
	// configured; nil means one that uses no proxy.
	Transport http.RoundTripper
	// Web fetches addresses that come from workflows, under their rules; nil means
	// that these are out of reach.
	Web *http.Client
}

// Network is what an [API] has to know of its network.
type Network struct {
	Name   string            // first part of its references, and of its variables in upper case
	Routes []byte            // its table; see [Routes]
	Window Window            // of each credential, unless the operator sets another
	Header map[string]string // of each request
}

// variable names the environment variable of a setting.
func (a *API) variable(setting string) string {
	return strings.ToUpper(a.network.Name) + "_" + setting
}

func (a *API) configure(setting func(string) string) error {
	routes, err := ParseRoutes(a.network.Routes)
	if err != nil {
		return err
	}
	address := setting("API_URL")
	if address == "" {
		return fmt.Errorf("set %s to the address of its API", a.variable("API_URL"))
	}
	if a.base, err = url.Parse(address); err != nil || !trusted(a.base) {
		return fmt.Errorf("%s has to be an address that begins with https://", a.variable("API_URL"))
	}
	name, err := routes.profileFor(setting("ROUTES"), a.base.Hostname())
	if err != nil {
		return fmt.Errorf("%s %w", a.variable("ROUTES"), err)
	}
	if limit := setting("RATE_LIMIT"); limit != "" {
		if a.limits.window, err = parseWindow(limit); err != nil {
			return fmt.Errorf("%s %w", a.variable("RATE_LIMIT"), err)
		}
	}
	a.routes, a.hosts = routes.Profiles[name], []string{a.base.Host}
	if slices.Contains(routes.Hosts, a.base.Hostname()) {
		a.hosts = append(a.hosts, routes.Hosts...)
	}
	if a.base.Path == "" || a.base.Path == "/" {
		a.base.Path = a.routes.Path
	}
	return nil
}

// trusted reports whether a token may go to u: encrypted, or not over a network.
func trusted(u *url.URL) bool {
	if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && local
}

// parseWindow reads a window such as 450/15m.
func parseWindow(text string) (Window, error) {
	requests, per, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(requests)
	d, errPer := time.ParseDuration(per)
	if err != nil || errPer != nil || n < 1 || n > 100_000 || d <= 0 {
		return Window{}, errors.New("has to be a number of requests and a time, like 450/15m")
	}
	return Window{Requests: n, Per: d}, nil
}

// newClient returns a client for the hosts that the operator has configured. It
// follows no redirect: an API has no reason for one, and a token must not go where
// an answer says. The time that a call may take comes from its context.
func newClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}
		transport = &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    10 * time.Second,
			IdleConnTimeout:        30 * time.Second,
			MaxIdleConnsPerHost:    64,
			MaxResponseHeaderBytes: 256 << 10,
		}
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
