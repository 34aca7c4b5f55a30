package network

import (
	"errors"
	"net"
	"net/url"
)

// CheckAddress accepts the addresses that secrets may be sent to, and that a browser
// may be sent to for a login: https, or http on this computer. All else is refused,
// since what opens an address for a user opens file:///etc/passwd, too, and starts
// programs. Its error does not repeat text, which may be a secret in the wrong place.
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
