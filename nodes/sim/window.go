package sim

import (
	"strconv"
	"time"
)

// Limit is the number of requests that one token may make in a window of time. The window
// begins with the first request, at a full second.
type Limit struct {
	Requests int
	Window   time.Duration
}

type window struct {
	end  time.Time
	used int
}

// count counts a request of a login and reports whether it is within the limit. header
// holds the network's rate limit headers.
func (n *Network) count(l *login, now time.Time) (header map[string]string, within bool) {
	limit := n.config.Limit
	if limit == (Limit{}) {
		return map[string]string{}, true
	}
	w := n.windows[l]
	if w == nil || !now.Before(w.end) {
		w = &window{end: now.Truncate(time.Second).Add(limit.Window)}
		n.windows[l] = w
	}
	within = w.used < limit.Requests
	if within {
		w.used++
	}
	return map[string]string{
		"x-rate-limit-limit":     strconv.Itoa(limit.Requests),
		"x-rate-limit-remaining": strconv.Itoa(limit.Requests - w.used),
		"x-rate-limit-reset":     strconv.FormatInt(w.end.Unix(), 10),
	}, within
}
