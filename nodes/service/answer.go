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

// read decodes the body of a successful answer to m into the value that into points to.
func (a *API) read(ctx context.Context, m *message, answer *answer, into any) error {
	if into == nil {
		return nil
	}
	if len(answer.body) > maxAnswer {
		return a.unreadable(m, "the answer is larger than 8 MiB")
	}
	if len(answer.body) == 0 && m.method != http.MethodGet {
		return nil // an action may be answered without a body
	}
	var parts struct {
		Data json.RawMessage `json:"data"`
	}
	if json.Unmarshal(answer.body, &parts) != nil || json.Unmarshal(answer.body, into) != nil {
		return a.unreadable(m, "the answer is not the JSON that was promised; check "+a.entry.Variable("API_URL"))
	}
	return a.partial(ctx, m, answer, len(parts.Data) > 0)
}

// partial handles a successful answer that lists errors. If it has some results, the errors
// are ignored; otherwise they are a failure.
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

// unreadable returns the failure for a successful answer whose body cannot be decoded.
func (a *API) unreadable(m *message, why string) error {
	if m.once {
		return a.outcomeUnknown(m, why)
	}
	return a.fail(CodeBadAnswer, m.call.Name, why)
}

// The shortest and longest wait that is accepted from a network.
const (
	shortestWait = time.Second
	longestWait  = 24 * time.Hour
)

// announced returns the time before which the network wants no further request; zero if it
// does not say.
func announced(answer *answer, now time.Time) time.Time {
	wait, ok := waitOf(answer)
	if !ok {
		return time.Time{}
	}
	return now.Add(min(max(wait, shortestWait), longestWait))
}

// RetryAfter parses the header Retry-After (RFC 9110 section 10.2.3). It counts only with
// the status 429 or 503. A date is converted to a duration with the server's own clock
// (header Date); for a date in the past the duration is zero or less.
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

// maxSeconds is roughly the largest number of seconds in a [time.Duration].
const maxSeconds = 1 << 33

// waitOf parses Retry-After, and the headers that announce when the network's rate limit
// window ends. Times are converted to durations with the network's own clock.
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
		return 0, false // the window is not used up; the request was refused for another reason
	}
	reset, err := strconv.ParseInt(h.Get("X-Rate-Limit-Reset"), 10, 64)
	if err != nil {
		return 0, false
	}
	return time.Unix(reset, 0).Sub(clockOf(h)), true
}

// clockOf returns the network's time, or the local time if the answer has no date.
func clockOf(h http.Header) time.Time {
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		return at
	}
	return time.Now()
}

// untilWhen describes the announced time for a message.
func untilWhen(answer *answer) string {
	until := announced(answer, time.Now())
	if until.IsZero() {
		return " and does not say for how long; try again later"
	}
	return " until " + until.UTC().Format(time.RFC3339)
}
