package service

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// read reads the answer to m, which says yes, into what into points to.
func (a *API) read(ctx context.Context, m *message, answer *answer, into any) error {
	if into == nil {
		return nil
	}
	if len(answer.body) > maxAnswer {
		return a.unreadable(m, "the answer is larger than 8 MiB")
	}
	if len(answer.body) == 0 && m.method != http.MethodGet {
		return nil // who acts may have nothing to say
	}
	var parts struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(answer.body, &parts) != nil || json.Unmarshal(answer.body, into) != nil {
		return a.unreadable(m, "the answer is not the JSON that was promised; check "+a.entry.Variable("API_URL"))
	}
	return a.partial(ctx, m, answer, len(parts.Data) > 0)
}

// partial deals with an answer that says yes and names errors: what came is kept,
// and if nothing came it is a failure.
func (a *API) partial(ctx context.Context, m *message, answer *answer, some bool) error {
	var p problem
	if json.Unmarshal(answer.body, &p) != nil || len(p.Errors) == 0 {
		return nil
	}
	if some {
		node.Progress(ctx, 0, 0, "the network left something out: "+quote(p.text(), credentials.Credential{}))
		return nil
	}
	status := http.StatusBadRequest
	if p.is("/resource-not-found") {
		status = http.StatusNotFound
	}
	return a.failure(m, credentials.Credential{}, answer, &p, status)
}

// unreadable is the failure of an answer that says yes and nothing else that can be
// understood.
func (a *API) unreadable(m *message, why string) error {
	if m.once {
		return a.outcomeUnknown(m, why)
	}
	return a.fail(CodeBadAnswer, m.call.Name, why)
}

// The shortest and longest wait that a network is believed to want.
const (
	shortestWait = time.Second
	longestWait  = 24 * time.Hour
)

// announced returns until when the network wants no such request again; zero if it
// says nothing.
func announced(answer *answer, now time.Time) time.Time {
	wait, ok := waitOf(answer)
	if !ok {
		return time.Time{}
	}
	return now.Add(min(max(wait, shortestWait), longestWait))
}

// RetryAfter reads how long an answer asks to wait before the request is sent again (RFC
// 9110 section 10.2.3), which counts only if its status is 429 or 503. A time is taken
// relative to the server's own clock; one that has passed is zero or less.
func RetryAfter(status int, h http.Header) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if text == "" || status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return 0, false
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(max(min(seconds, maxSeconds), -maxSeconds)) * time.Second, true
	}
	at, err := http.ParseTime(text)
	return at.Sub(clockOf(h)), err == nil
}

// maxSeconds is how many a duration can hold, more or less.
const maxSeconds = 1 << 33

// waitOf reads Retry-After, and the headers by which the networks announce when their
// window begins anew. Times are taken relative to the network's own clock.
func waitOf(answer *answer) (time.Duration, bool) {
	if answer == nil {
		return 0, false
	}
	if wait, ok := RetryAfter(answer.status, answer.header); ok {
		return wait, true
	}
	h := answer.header
	remaining := h.Get("X-Rate-Limit-Remaining")
	if remaining != "0" && (remaining != "" || answer.status != http.StatusTooManyRequests) {
		return 0, false // the window is open; a refusal is for another reason
	}
	reset, err := strconv.ParseInt(h.Get("X-Rate-Limit-Reset"), 10, 64)
	if err != nil {
		return 0, false
	}
	return time.Unix(reset, 0).Sub(clockOf(h)), true
}

// clockOf returns the time at the network.
func clockOf(h http.Header) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}

// untilWhen words what the network announced.
func untilWhen(answer *answer) string {
	until := announced(answer, time.Now())
	if until.IsZero() {
		return " and does not say for how long; try again later"
	}
	return " until " + until.UTC().Format(time.RFC3339)
}
