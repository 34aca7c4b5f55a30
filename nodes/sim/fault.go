package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The values of [Fault.Break]: how a response is broken.
const (
	Cut      = "cut"      // the connection closes without a response
	Garbage  = "garbage"  // 200 with a truncated JSON document
	HTML     = "html"     // 502 with a proxy's HTML page
	Huge     = "huge"     // 200 with 10 MB of JSON
	Redirect = "redirect" // 307 to another URL
)

// hugeAnswer is the size of a Huge response, in bytes.
const hugeAnswer = 10 << 20

// Fault makes requests of a route fail. Without Status and Break, it only delays the
// responses.
type Fault struct {
	// Route is the name of a node's call, such as like_tweet; one of the other calls that
	// nodes make: me, userinfo, register_upload, upload; one of OAuth's: authorize, token,
	// revoke; or * for all.
	Route string `json:"route"`
	Skip  int    `json:"skip,omitempty"`  // requests that succeed before the fault begins
	Times int    `json:"times,omitempty"` // requests that fail after that; 0: all
	// DelayMs is the delay of the response, in milliseconds.
	DelayMs int               `json:"delayMs,omitempty"`
	Status  int               `json:"status,omitempty"` // of an error response
	Header  map[string]string `json:"header,omitempty"` // of the response, such as Retry-After
	Body    json.RawMessage   `json:"body,omitempty"`   // of an error response; if empty, the network's usual error
	Break   string            `json:"break,omitempty"`  // cut, garbage, html, huge or redirect
	To      string            `json:"to,omitempty"`     // the target of a redirect
	// After makes the network perform the request before the response fails.
	After bool `json:"after,omitempty"`
}

// check returns an error if the fault is invalid.
func (f Fault) check(routes map[string]bool) error {
	switch {
	case f.Route != "*" && !routes[f.Route]:
		return fmt.Errorf("there is no route %q", f.Route)
	case f.Skip < 0 || f.Times < 0 || f.DelayMs < 0:
		return fmt.Errorf("route %s: skip, times and delayMs are not negative", f.Route)
	case f.Status != 0 && (f.Status < 400 || f.Status > 599):
		return fmt.Errorf("route %s: %d is not the status of a refusal", f.Route, f.Status)
	case f.Status != 0 && f.Break != "":
		return fmt.Errorf("route %s: a fault has a status or a break", f.Route)
	case (f.Break == Redirect) != (f.To != ""):
		return fmt.Errorf("route %s: a redirect needs an address in to, and nothing else does", f.Route)
	}
	switch f.Break {
	case "", Cut, Garbage, HTML, Huge, Redirect:
		return nil
	}
	return fmt.Errorf("route %s: there is no break %q", f.Route, f.Break)
}

// spoils reports whether the fault replaces the network's response.
func (f Fault) spoils() bool { return f.Status != 0 || f.Break != "" }

// pause waits for the fault's delay, and reports whether the client is still connected.
func (f Fault) pause(ctx context.Context) bool {
	if f.DelayMs == 0 {
		return true
	}
	timer := time.NewTimer(time.Duration(f.DelayMs) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// write writes the fault's response.
func (f Fault) write(w http.ResponseWriter, says face) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	switch f.Break {
	case Cut:
		panic(http.ErrAbortHandler)
	case Redirect:
		w.Header().Set("Location", f.To)
		w.WriteHeader(http.StatusTemporaryRedirect)
	case HTML:
		writeText(w, "text/html", http.StatusBadGateway, "<!doctype html><title>502</title><h1>Bad gateway</h1>")
	case Garbage:
		writeText(w, "application/json", http.StatusOK, `{"data":{"id":"18`)
	case Huge:
		writeText(w, "application/json", http.StatusOK, `{"data":"`+strings.Repeat("x", hugeAnswer)+`"}`)
	default:
		refusal := says.refuse(f.Status, "")
		if f.Body != nil {
			refusal.body = f.Body
		}
		refusal.write(w)
	}
}

func writeText(w http.ResponseWriter, media string, status int, text string) {
	w.Header().Set("Content-Type", media)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // an error means that the client has disconnected
}

// script decides which requests fail. The first fault that applies to a request is used.
type script struct {
	faults []Fault
	seen   []int // number of requests of each fault's route
}

func newScript(faults []Fault, routes map[string]bool) (*script, error) {
	for _, f := range faults {
		if err := f.check(routes); err != nil {
			return nil, err
		}
	}
	return &script{faults, make([]int, len(faults))}, nil
}

// next returns the fault for the next request of a route; the zero Fault does nothing.
func (s *script) next(route string) Fault {
	var hit Fault
	for i, f := range s.faults {
		if f.Route != route && f.Route != "*" || hit.Route != "" {
			continue
		}
		s.seen[i]++
		if nth := s.seen[i] - f.Skip; nth > 0 && (f.Times == 0 || nth <= f.Times) {
			hit = f
		}
	}
	return hit
}

func (n *Network) nextFault(route string) Fault {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.script.next(route)
}
