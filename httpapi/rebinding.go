package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// rebound reports whether r may come from a page of somebody else whose name was made to
// lead to this machine: without a key, nothing but the name that the browser was asked for
// tells it apart from what people on this machine want. So over a connection from the machine
// to itself, an anonymous service answers to names of the machine only, and to that of its
// public URL.
func (s *Service) rebound(r *http.Request) bool {
	if s.key != nil {
		return false
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	return err == nil && at.Addr().Unmap().IsLoopback() && !isOfMachine(r.Host) && !s.isPublic(r.Host)
}

// isOfMachine reports whether a Host header names the machine itself.
func isOfMachine(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if strings.EqualFold(name, "localhost") || strings.HasSuffix(strings.ToLower(name), ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// isPublic reports whether a Host header names the service as the rest of the world does.
func (s *Service) isPublic(host string) bool {
	public, err := url.Parse(s.publicURL)
	return err == nil && public.Host != "" && strings.EqualFold(public.Hostname(), (&url.URL{Host: host}).Hostname())
}
