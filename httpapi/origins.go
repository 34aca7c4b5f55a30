package httpapi

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/rs/cors"
)

// preflightAge is how long browsers may cache the answer to a preflight.
const preflightAge = 10 * time.Minute

// newCORS returns what lets pages of other origins call the service; nil without any.
// They call with a key, which no browser adds by itself, so credentials in the sense of
// CORS are not allowed.
func newCORS(origins []string) *cors.Cors {
	if len(origins) == 0 {
		return nil
	}
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete},
		AllowedHeaders: []string{
			"Accept", "Authorization", "Content-Type", keyHeader, "If-Match", "If-None-Match", "If-Range", "Last-Event-ID", "Range", idHeader, traceHeader, "Tracestate",
		},
		ExposedHeaders: []string{"Content-Disposition", "Content-Range", "ETag", "Link", "Location", "Retry-After", "Www-Authenticate", idHeader},
		MaxAge:         int(preflightAge.Seconds()),
	})
}

// newOrigins returns what keeps pages of other origins from changes. The service's own
// pages have the origin of PublicURL, which differs from the address of a request behind a
// proxy.
func (c *Config) newOrigins() (*http.CrossOriginProtection, error) {
	origins := http.NewCrossOriginProtection()
	for _, origin := range c.CORSOrigins {
		if err := origins.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	if c.PublicURL == "" {
		return origins, nil
	}
	u, err := url.Parse(c.PublicURL)
	if err != nil {
		return nil, err
	}
	return origins, origins.AddTrustedOrigin(u.Scheme + "://" + originHost(u))
}

// originHost returns the host of an origin as browsers write it: without the port that
// its scheme has anyway.
func originHost(u *url.URL) string {
	if u.Port() == "443" && u.Scheme == "https" || u.Port() == "80" && u.Scheme == "http" {
		return u.Host[:len(u.Host)-len(":"+u.Port())]
	}
	return u.Host
}

// cleanOrigin says why something is no origin that a page can have.
func cleanOrigin(text string) error {
	u, err := url.Parse(text)
	switch {
	case strings.Contains(text, "*"):
		return fmt.Errorf("CORS origin %.100q: name each origin whose pages may call the service, such as https://app.example.com", text)
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.Scheme+"://"+originHost(u) != text:
		return fmt.Errorf("CORS origin %.100q: write it as browsers do, such as https://app.example.com, in lower case, without a path and without a port that goes without saying", text)
	}
	return nil
}

// crossed adds to an answer what the page that r comes from may see of it, and reports
// whether that is the whole answer: a preflight of a page that is listed asks for
// nothing else, and has no key. Any other goes the way of all requests.
func (s *Service) crossed(a *answer, r *http.Request) bool {
	if s.cors == nil {
		return false
	}
	isPreflight := r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != ""
	if isPreflight && (r.Header.Get("Origin") == "" || !s.cors.OriginAllowed(r)) {
		return false
	}
	s.cors.HandlerFunc(a, r)
	return isPreflight
}

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
