package network

import (
	"errors"
	"net"
	"net/url"
)

// CheckAddress accepts the addresses that secrets may be sent to, and that a browser
// may be sent to for a login: https, or http on this computer. All else is refused, since
// the system's opener also opens file:///etc/passwd and starts programs. Its error does not
// quote text, which may be a secret in the wrong field.
func CheckAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return errors.New("is no address such as https://network.example/path")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return nil
	}
	return errors.New("does not begin with https://")
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
