// Package sim simulates the professional and the microblogging network, for tests of the
// nodes that use them and for trying those nodes without an account.
//
// A [Network] is a strict and stateful [http.Handler]. It accepts the calls in its OpenAPI
// document (folder openapi), validates them against the document, and refuses all others
// with the network's own errors. It issues and rotates tokens (RFC 6749, 7636, 7009),
// enforces rate limits, and remembers posts, likes and messages. A script of [Fault]s makes
// it fail in the ways networks do.
//
// The simulator is as strict as the network. Rules that it does not know it does not check,
// such as the weighted length of a post. All state is in memory. Time comes from package
// time, so a test in a testing/synctest bubble can make an hour pass.
package sim

import (
	"cmp"
	"embed"
	"fmt"
	"net/http"
	"sync"
	"time"
)

//go:embed openapi/*.yaml
var descriptions embed.FS

// Profile selects a set of routes, as PRONET_ROUTES and MICROBLOG_ROUTES do.
type Profile string

// The profiles. The zero value means both: their routes do not conflict.
const (
	Spec Profile = "spec" // the calls in the tables of the specification
	Live Profile = "live" // the calls of the networks' current public APIs
)

// ClientID is the id of the only OAuth client that a network knows.
const ClientID = "svc-sim"

// Config configures a [Network]. The zero value is a network without faults.
type Config struct {
	Profile Profile
	Seed    *Seed   // initial content; nil means that of [DefaultSeeds]
	Faults  []Fault // scripted failures
	// Limit is the rate limit of each token. The zero Limit is 450 requests in 15 minutes
	// for the microblogging network, and no limit for the other, which does not publish its
	// limits.
	Limit Limit
	// TokenLifetime is the lifetime of access tokens; 0 means two hours.
	TokenLifetime time.Duration
	ClientSecret  string // of the OAuth client; empty: it has none
	// Mount is the path under which clients find the network, such as /pronet, if a handler
	// such as [http.StripPrefix] removes it from requests.
	Mount string
	// Log, if not nil, is called after each response. It must be safe for concurrent use.
	Log func(Request)
}

// Network is a simulated network. Make one with [NewPronet] or [NewMicroblog]. It
// is an [http.Handler] and an [http.RoundTripper] and safe for concurrent use.
type Network struct {
	name   string
	config Config
	face   face
	mux    *http.ServeMux

	mu      sync.Mutex // guards the fields below
	world   *world
	logins  *logins
	windows map[*login]*window
	script  *script
	journal []Request
}

// face is what differs between the two networks: their calls and their error responses.
type face interface {
	calls() map[string]func(*call) answer
	refuse(status int, detail string) answer
}

// NewPronet returns the professional network. It returns an error if config is invalid.
func NewPronet(config Config) (*Network, error) {
	return newNetwork("pronet", config, func(w *world) face { return pronet{w} })
}

// NewMicroblog returns the microblogging network. It returns an error if config is invalid.
func NewMicroblog(config Config) (*Network, error) {
	if config.Limit == (Limit{}) {
		config.Limit = Limit{Requests: 450, Window: 15 * time.Minute}
	}
	return newNetwork("microblog", config, func(w *world) face { return microblog{w} })
}

func newNetwork(name string, config Config, newFace func(*world) face) (*Network, error) {
	if config.Seed == nil {
		seeds, err := DefaultSeeds()
		if err != nil {
			return nil, err
		}
		config.Seed = seeds[name]
	}
	config.TokenLifetime = cmp.Or(config.TokenLifetime, 2*time.Hour)
	text, err := descriptions.ReadFile("openapi/" + name + ".yaml")
	if err != nil {
		return nil, err
	}
	contract, err := loadContract(text, config.Profile)
	if err != nil {
		return nil, fmt.Errorf("the description of %s: %w", name, err)
	}
	w, err := newWorld(*config.Seed)
	if err != nil {
		return nil, fmt.Errorf("the seed of %s: %w", name, err)
	}
	n := &Network{
		name: name, config: config, face: newFace(w), mux: http.NewServeMux(), world: w,
		logins: newLogins(*config.Seed, contract.scopes), windows: map[*login]*window{},
	}
	n.script, err = newScript(config.Faults, n.mount(contract))
	if err != nil {
		return nil, fmt.Errorf("the faults of %s: %w", name, err)
	}
	return n, nil
}

// mount registers a handler for each route, and returns the names of the routes.
func (n *Network) mount(contract *contract) (routes map[string]bool) {
	routes = map[string]bool{}
	add := func(pattern, route string, serve func(*call) answer) {
		routes[route] = true
		n.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { n.serve(w, r, route, serve) })
	}
	calls := n.face.calls()
	for _, op := range contract.operations {
		do := calls[op.name]
		add(op.pattern(), op.name, func(c *call) answer { return n.admit(c, op, do) })
	}
	add("GET /oauth/authorize", "authorize", n.authorize)
	add("POST /oauth/token", "token", n.token)
	add("POST /oauth/revoke", "revoke", n.revoke)
	return routes
}

// base returns the URL at which the client of a request finds the network.
func (n *Network) base(r *http.Request) string {
	scheme := "http://"
	if r.TLS != nil || r.URL.Scheme == "https" {
		scheme = "https://"
	}
	return scheme + cmp.Or(r.Host, r.URL.Host) + n.config.Mount
}
