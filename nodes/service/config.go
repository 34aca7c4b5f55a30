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
	// Networks is the table with the network's hosts and address.
	Networks network.Table
	// Getenv reads the operator's settings; nil means that nothing is set.
	Getenv func(name string) string
	// Credentials provides tokens. If it is a [Renewer], a token that the network rejects
	// is renewed once.
	Credentials credentials.Provider
	// Windows keeps the rate limit windows of accounts; nil keeps them in memory, for this
	// plugin only.
	Windows Windows
	// Transport sends requests to the network's hosts, which the operator has configured;
	// nil means a transport without a proxy.
	Transport http.RoundTripper
	// Web downloads from addresses that come from workflows, and enforces the rules for
	// them; nil means that such addresses cannot be used.
	Web *http.Client
}

// Network describes a network to an [API], in addition to its entry in the table.
type Network struct {
	Name   string            // in the table of networks
	Routes []byte            // the JSON table of routes; see [Routes]
	Window Window            // the default rate limit of each credential
	Header map[string]string // sent with each request
}

// The settings that only some networks have.
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

// RateLimit returns the name of the variable that sets the rate limit of a network's
// accounts.
func RateLimit(n network.Network) string { return n.Variable(settingRateLimit) }

// ParseWindow parses a window such as 450/15m. The error describes the syntax.
func ParseWindow(text string) (Window, error) {
	requests, per, _ := strings.Cut(text, "/")
	n, err := strconv.Atoi(requests)
	d, errPer := time.ParseDuration(per)
	if err != nil || errPer != nil || n < 1 || n > 100_000 || d <= 0 {
		return Window{}, errors.New("has to be a number of requests and a time, like 450/15m")
	}
	return Window{Requests: n, Per: d}, nil
}

// newClient returns a client for the hosts that the operator has configured. It follows no
// redirects: an API has no reason for them, and a token must not be sent to an address from
// an answer. The context of a call limits its time.
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
