package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/rs/cors"
)

// preflightAge is how long browsers may remember what a preflight was told.
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
// pages have the origin of PublicURL, which is not the one a request comes with where a
// proxy stands in between.
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
