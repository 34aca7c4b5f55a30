package sim

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// The ways in which [Fault.Break] spoils an answer.
const (
	Cut      = "cut"      // the connection ends without an answer
	Garbage  = "garbage"  // 200 with half of a JSON document
	HTML     = "html"     // 502 with the page of a proxy
	Huge     = "huge"     // 200 with 10 MB of JSON
	Redirect = "redirect" // 307 to another address
)

// hugeAnswer is the size of a huge answer, in bytes.
const hugeAnswer = 10 << 20

// Fault is something that goes wrong with requests of a route. Without Status and
// Break, their answers only come late.
type Fault struct {
	// Route is the node that makes the call, such as like_tweet; me, userinfo,
	// register_upload or upload, which nodes call besides; authorize, token or revoke;
	// or * for all.
	Route string `json:"route"`
	Skip  int    `json:"skip,omitempty"`  // requests that go well before
	Times int    `json:"times,omitempty"` // requests that go wrong then; 0: all
	// DelayMs is how long the network takes, in milliseconds.
	DelayMs int               `json:"delayMs,omitempty"`
	Status  int               `json:"status,omitempty"` // of a refusal
	Header  map[string]string `json:"header,omitempty"` // of the answer, such as Retry-After
	Body    json.RawMessage   `json:"body,omitempty"`   // of a refusal; without it the network's own words
	Break   string            `json:"break,omitempty"`  // cut, garbage, html, huge or redirect
	To      string            `json:"to,omitempty"`     // where a redirect leads
	// After makes the network do what it was asked to before its answer goes wrong.
	After bool `json:"after,omitempty"`
}

// check says what is wrong with a fault.
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

// spoils reports whether the network's own answer does not come.
func (f Fault) spoils() bool { return f.Status != 0 || f.Break != "" }

// pause waits and reports whether the client still does.
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

// write gives the answer that went wrong.
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
	_, _ = w.Write([]byte(text)) // whoever does not listen has gone
}

// script decides which requests go wrong. The first fault that fits a request is
// its.
type script struct {
	faults []Fault
	seen   []int // requests of a fault's route, by fault
}

func newScript(faults []Fault, routes map[string]bool) (*script, error) {
	for _, f := range faults {
		if err := f.check(routes); err != nil {
			return nil, err
		}
	}
	return &script{faults, make([]int, len(faults))}, nil
}

// next returns the fault of a request of a route; the zero one spoils nothing.
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
