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

// newCORS returns the CORS handler for pages of other origins; nil if no origin is allowed. Such
// pages send an API key, which no browser adds by itself, so CORS credentials are not allowed.
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

// newOrigins returns the check that refuses changes by pages of other origins. The service's own
// pages have the origin of PublicURL, which behind a proxy differs from the address of a request.
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

// originHost returns the host of an origin as browsers write it, without a default port.
func originHost(u *url.URL) string {
	if u.Port() == "443" && u.Scheme == "https" || u.Port() == "80" && u.Scheme == "http" {
		return u.Host[:len(u.Host)-len(":"+u.Port())]
	}
	return u.Host
}

// cleanOrigin returns an error if text is not a valid origin.
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

// crossed adds CORS headers to an answer, and reports whether the answer is complete. It is for a
// preflight of an allowed origin, which has no key. All other requests continue.
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

// rebound reports whether r may be a DNS rebinding attack: a page of another site whose name
// resolves to this machine. Without a key, only the Host header reveals that. So on loopback
// connections, an anonymous service only accepts names of the machine and that of its public URL.
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

// isOfMachine reports whether a Host header names this machine.
func isOfMachine(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	if strings.EqualFold(name, "localhost") || strings.HasSuffix(strings.ToLower(name), ".localhost") {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Unmap().IsLoopback()
}

// isPublic reports whether a Host header has the name of the public URL.
func (s *Service) isPublic(host string) bool {
	public, err := url.Parse(s.publicURL)
	return err == nil && public.Host != "" && strings.EqualFold(public.Hostname(), (&url.URL{Host: host}).Hostname())
}
