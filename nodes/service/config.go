package service

import (
	"cmp"
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
	"github.com/svcflow/svc/credentials/network"
)

// Config configures the plugin of a network. The zero Config is enough to list node
// types: every call fails, since there is no address.
type Config struct {
	// Networks is the table that the network is in: its hosts and its address come from
	// there.
	Networks network.Table
	// Getenv reads the operator's settings; nil means that nothing is set.
	Getenv func(name string) string
	// Credentials is where tokens come from. If it is a [Renewer], a token that the
	// network rejects is renewed once.
	Credentials credentials.Provider
	// Windows keeps the windows of accounts; nil keeps those of this plugin alone.
	Windows Windows
	// Transport carries the requests to the network's hosts, which the operator has
	// configured; nil means one that uses no proxy.
	Transport http.RoundTripper
	// Web fetches addresses that come from workflows, under their rules; nil means
	// that these are out of reach.
	Web *http.Client
}

// Network describes a network to an [API], in addition to its entry in the table.
type Network struct {
	Name   string            // in the table of networks
	Routes []byte            // its table; see [Routes]
	Window Window            // of each credential, unless the operator sets another
	Header map[string]string // of each request
}

// The names of the variables that only some networks have.
const (
	settingRoutes    = "ROUTES"
	settingRateLimit = "RATE_LIMIT"
)

func (a *API) configure(setting func(string) string) error {
	routes, err := ParseRoutes(a.network.Routes)
	if err != nil {
		return err
	}
	address := cmp.Or(setting(network.SettingAPIURL), a.entry.APIURL)
	if address == "" {
		return fmt.Errorf("set %s to the address of its API", a.entry.Variable(network.SettingAPIURL))
	}
	if a.base, err = url.Parse(address); err != nil || network.CheckAddress(address) != nil || a.base.RawQuery != "" {
		return fmt.Errorf("%s has to be an address that begins with https://", a.entry.Variable(network.SettingAPIURL))
	}
	isReal := slices.Contains(a.entry.Hosts, strings.ToLower(a.base.Hostname()))
	name, err := routes.profileFor(setting(settingRoutes), isReal)
	if err != nil {
		return fmt.Errorf("%s %w", a.entry.Variable(settingRoutes), err)
	}
	if limit := setting(settingRateLimit); limit != "" {
		if a.limits.window, err = ParseWindow(limit); err != nil {
			return fmt.Errorf("%s %w", a.entry.Variable(settingRateLimit), err)
		}
	}
	a.routes, a.hosts = routes.Profiles[name], []string{a.base.Host}
	if isReal {
		a.hosts = append(a.hosts, a.entry.Hosts...)
	}
	if a.base.Path == "" || a.base.Path == "/" {
		a.base.Path = a.routes.Path
	}
	return nil
}

// RateLimit names the variable by which operators set the window of a network's accounts.
func RateLimit(n network.Network) string { return n.Variable(settingRateLimit) }

// ParseWindow reads a window such as 450/15m, as variables have it. The error says how it is
// written.
func ParseWindow(text string) (Window, error) {
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
