package network

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"
)

// hostPattern matches a host name, with an optional *. before it and an optional port.
var hostPattern = regexp.MustCompile(`^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(:[1-9][0-9]{0,4})?$`)

// CheckHost accepts a host that may receive a secret: host or host:port, for https, or with
// http:// before it. *.example.com matches every host below example.com, at any depth, but
// not example.com itself. Its error does not quote text.
func CheckHost(text string) error {
	host := strings.TrimPrefix(text, "http://")
	address, ipErr := netip.ParseAddrPort(host)
	switch {
	case ipErr == nil && address.Addr().Is6(): // [::1]:8080
		return nil
	case !hostPattern.MatchString(host):
		return errors.New("one is no host such as api.example.com, *.example.com, example.com:8443 or http://127.0.0.1:8080, in lower case and without a path")
	case strings.HasPrefix(host, "*.") && !strings.Contains(host[2:], "."):
		return errors.New("one would be everything below a whole domain of the internet")
	}
	return nil
}

// MayGet reports whether u is on one of hosts, which have the form of [CheckHost], so that
// it may receive a secret.
func MayGet(hosts []string, u *url.URL) bool {
	name, err := idna.Lookup.ToASCII(strings.ToLower(u.Hostname()))
	if err != nil {
		name = strings.ToLower(u.Hostname()) // an IP address, or a name with an underscore
	}
	return u.User == nil && name != "" && slices.ContainsFunc(hosts, func(host string) bool { return matches(host, u.Scheme, name, portOf(u)) })
}

// matches reports whether a pattern matches a scheme, the ASCII name of a host and a port.
func matches(pattern, scheme, name, port string) bool {
	wanted, plain := strings.CutPrefix(pattern, "http://")
	if plain && scheme != "http" || !plain && scheme != "https" {
		return false
	}
	host, hostPort, err := net.SplitHostPort(wanted)
	if err != nil {
		host, hostPort = wanted, defaultPort(scheme)
	}
	if hostPort != port {
		return false
	}
	if below, ok := strings.CutPrefix(host, "*"); ok {
		return strings.HasSuffix(name, below) && len(name) > len(below)
	}
	return name == host
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return defaultPort(u.Scheme)
}

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}
