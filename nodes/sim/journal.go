package sim

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Request is a request that a network received. It holds everything that the client sent,
// tokens included, so it must not be logged outside of tests.
type Request struct {
	At     time.Time
	Route  string // the node that makes the call, or a name such as userinfo; empty: no route matched
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte
	Status int // of the response; 0: there was none
}

// maxRequests is how many requests are remembered.
const maxRequests = 10_000

// record stores a request, and passes it to [Config.Log].
func (n *Network) record(r Request) {
	n.mu.Lock()
	n.journal = append(n.journal, r)
	n.journal = slices.Delete(n.journal, 0, max(0, len(n.journal)-maxRequests))
	n.mu.Unlock()
	if n.config.Log != nil {
		n.config.Log(r)
	}
}

// Requests returns the requests of the routes called names, or of all routes if names is
// empty, in the order in which they were completed. Only the last 10,000 requests are
// stored.
func (n *Network) Requests(names ...string) []Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []Request
	for _, r := range n.journal {
		if len(names) == 0 || slices.Contains(names, r.Route) {
			all = append(all, r)
		}
	}
	return all
}

// Posts returns all posts, the oldest first.
func (n *Network) Posts() []Post {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []Post
	for _, p := range n.world.posts {
		post := *p
		post.LikedBy, post.RepostedBy = slices.Clone(p.LikedBy), slices.Clone(p.RepostedBy)
		all = append(all, post)
	}
	return all
}

// Messages returns all sent messages, the oldest first.
func (n *Network) Messages() []Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.world.messages)
}
