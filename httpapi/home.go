package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// getHome answers GET / with the run page for browsers, and the health check for other clients.
func (s *Service) getHome(a *answer, r *http.Request) error {
	h := a.Header()
	h.Add("Vary", "Accept")
	if !wantsHTML(r) {
		return s.getHealth(a, r)
	}
	h.Set("Content-Security-Policy", s.page.Policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	a.fixed("text/html; charset=utf-8", s.html)
	return nil
}

// about describes the service to authenticated callers.
type about struct {
	Version       string `json:"version"`
	DataDirectory string `json:"dataDirectory"`
}

// getService answers GET /service.
func (s *Service) getService(a *answer, _ *http.Request) error {
	a.text(http.StatusOK, jsonType, s.about)
	return nil
}

// wantsHTML reports whether r explicitly accepts HTML, as browsers do and other clients do not.
func wantsHTML(r *http.Request) bool { return accepts(r.Header["Accept"], "text/html", "") }

// accepts reports whether a content negotiation header (RFC 9110 section 12.4) accepts name, or, if
// it does not mention name, the wildcard rest.
func accepts(headers []string, name, rest string) bool {
	others := false
	for _, header := range headers {
		for accepted := range strings.SplitSeq(header, ",") {
			media, params, err := mime.ParseMediaType(accepted)
			if err != nil || media != name && media != rest {
				continue
			}
			quality, err := strconv.ParseFloat(params["q"], 64)
			wanted := err != nil || quality > 0
			if media == name {
				return wanted
			}
			others = wanted
		}
	}
	return others
}
