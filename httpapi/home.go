package httpapi

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// getHome answers GET /: the run page for browsers, the health check for all
// others.
func (s *Service) getHome(a *answer, r *http.Request) error {
	h := a.Header()
	h.Add("Vary", "Accept")
	if !wantsHTML(r) {
		return s.getHealth(a, r)
	}
	h.Set("Content-Security-Policy", s.page.Policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	a.text(http.StatusOK, "text/html; charset=utf-8", s.page.HTML)
	return nil
}

// wantsHTML reports whether r names HTML among what it accepts, as browsers do
// and other clients do not.
func wantsHTML(r *http.Request) bool {
	for _, header := range r.Header.Values("Accept") {
		for accepted := range strings.SplitSeq(header, ",") {
			media, params, err := mime.ParseMediaType(accepted)
			if err != nil || media != "text/html" {
				continue
			}
			quality, err := strconv.ParseFloat(params["q"], 64)
			return err != nil || quality > 0
		}
	}
	return false
}
