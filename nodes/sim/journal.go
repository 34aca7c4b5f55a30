package sim

import (
	"net/http"
	"net/url"
	"slices"
	"time"
)

// Request is a request that a network got. It holds what the client sent, tokens
// included, so it is for tests and not for logs.
type Request struct {
	At     time.Time
	Route  string // the node that makes the call, or what else it is called; empty: no route
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte
	Status int // of the answer; 0: there was none
}

// maxRequests bounds how many requests are remembered.
const maxRequests = 10_000

// record keeps a request and tells whoever wants to know.
func (n *Network) record(r Request) {
	n.mu.Lock()
	n.journal = append(n.journal, r)
	n.journal = slices.Delete(n.journal, 0, max(0, len(n.journal)-maxRequests))
	n.mu.Unlock()
	if n.config.Log != nil {
		n.config.Log(r)
	}
}

// Requests returns what was asked of the routes called names, or of all routes if
// none is named, in the order in which the answers ended. It knows the last 10,000
// requests.
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

// Messages returns what was sent, the oldest first.
func (n *Network) Messages() []Message {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.world.messages)
}
