// Package sim simulates the professional and the microblogging network, for tests
// of the nodes that talk to them and for trying those nodes without an account.
//
// A [Network] is a strict and stateful [http.Handler]. It takes the calls that
// its OpenAPI document in the folder openapi describes, the way the document
// describes them, and refuses everything else as the network would. It gives out
// and rotates tokens (RFC 6749, 7636, 7009), counts requests in windows of time,
// and remembers what was posted, liked and sent. A script of [Fault]s makes it
// fail in the ways networks do.
//
// A simulator asks for what the network asks for, so it forgives nothing that
// the network would not. What it cannot know, it does not judge: how long a post
// may be by the network's own weights, for instance. Everything is kept in memory
// and time is the time of package time, so that a testing/synctest bubble can
// make an hour pass.
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

// Profile is a set of routes, as PRONET_ROUTES and MICROBLOG_ROUTES name it.
type Profile string

// The profiles. The zero value means both: routes of the two do not clash.
const (
	Spec Profile = "spec" // the calls of the specification's tables
	Live Profile = "live" // those of the networks' public APIs today
)

// ClientID is what a network calls the one OAuth client that it knows.
const ClientID = "svc-sim"

// Config sets up a [Network]. Its zero value is a network that works.
type Config struct {
	Profile Profile
	Seed    *Seed   // what is there at first; nil: what [DefaultSeeds] has
	Faults  []Fault // what goes wrong
	// Limit bounds the requests with one token. The zero Limit is 450 requests in 15
	// minutes for the microblogging network, and none for the other, whose limits
	// nobody knows.
	Limit Limit
	// TokenLifetime is how long the access tokens of logins are good; 0 is two hours.
	TokenLifetime time.Duration
	ClientSecret  string // of the OAuth client; empty: it has none
	// Mount is the path below which a client finds the network, such as /pronet, if
	// the network gets its requests without it, as from [http.StripPrefix].
	Mount string
	// Log is called after each request has been answered, by several goroutines at
	// once; nil: nobody is told.
	Log func(Request)
}

// Network is a simulated network. Make one with [NewPronet] or [NewMicroblog]. It
// is an [http.Handler] and an [http.RoundTripper] and safe for concurrent use.
type Network struct {
	name   string
	config Config
	face   face
	mux    *http.ServeMux

	mu      sync.Mutex // guards what follows
	world   *world
	logins  *logins
	windows map[*login]*window
	script  *script
	journal []Request
}

// face is what the two networks do not have in common: the calls they take and
// how they say no.
type face interface {
	calls() map[string]func(*call) answer
	refuse(status int, detail string) answer
}

// NewPronet returns the professional network. Its error is a mistake in config.
func NewPronet(config Config) (*Network, error) {
	return newNetwork("pronet", config, func(w *world) face { return pronet{w} })
}

// NewMicroblog returns the microblogging network. Its error is a mistake in
// config.
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

// mount gives each route its handler and returns what they are called.
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

// base is the address at which the client of a request finds the network.
func (n *Network) base(r *http.Request) string {
	scheme := "http://"
	if r.TLS != nil || r.URL.Scheme == "https" {
		scheme = "https://"
	}
	return scheme + cmp.Or(r.Host, r.URL.Host) + n.config.Mount
}
