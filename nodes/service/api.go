package service

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
)

// API is a plugin's client of a network. It is safe for concurrent use.
type API struct {
	network Network
	entry   network.Network // of the table of networks
	routes  Profile
	hosts   []string // that may receive the token
	base    *url.URL
	problem error // why every call fails

	secrets Resolver
	client  *http.Client // for the hosts
	web     *http.Client // for other hosts; nil if these must not be reached
	limits  limiter
	selves  selves
}

// NewAPI returns the API of a network. For one called pronet it reads
//
//	PRONET_API_URL     its address; its path, if any, comes before those of the calls
//	PRONET_ROUTES      spec or live; if not set, live at the network's real host
//	PRONET_RATE_LIMIT  requests per time and account, e.g. 450/15m, of all processes
//	                   that share [Config].Windows
//
// Mistakes in them are reported by each call, with the code not_configured, so that the
// node types can be listed all the same.
func NewAPI(n Network, config Config) *API {
	entry, ok := config.Networks.Lookup(n.Name)
	if !ok {
		entry.Name = n.Name
	}
	a := &API{
		network: n,
		entry:   entry,
		secrets: Resolver{Provider: config.Credentials},
		client:  newClient(config.Transport),
		web:     config.Web,
		limits:  limiter{windows: config.Windows, network: n.Name, window: n.Window},
	}
	if a.limits.windows == nil {
		a.limits.windows = &MemoryWindows{}
	}
	getenv := config.Getenv
	if getenv == nil {
		getenv = func(string) string { return "" }
	}
	a.problem = a.configure(func(setting string) string { return strings.TrimSpace(getenv(entry.Variable(setting))) })
	return a
}

// Error codes of this package, in addition to those of answers.
const (
	// CodeNotConfigured means that the operator has not set up the network.
	CodeNotConfigured = "not_configured"
	// CodeNotOffered means that the network's public API does not have the call.
	CodeNotOffered = "not_offered"
)

// Call is one call of a network's API.
type Call struct {
	Name string // in the table of routes
	Ref  credentials.Ref
	// Path holds the values of the placeholders in the route's path. The caller must have
	// checked that they are ids.
	Path  map[string]string
	Query url.Values // added to those of the route
	Body  any        // sent as JSON; nil sends no body
	// Scope is the scope that the token needs, if it is not that of the route.
	Scope string
	// Missing is the message for users when the network answers that the thing does not exist.
	Missing string
}

// Do makes a call and reads its answer into the value that into points to; nil
// reads nothing. It returns the answer's header. It sends the request again after
// failures that allow it, as long as ctx lasts. Its error is ctx's, or a
// [node.Error] with one of the codes of [Resolver.Resolve], of this package, or
//
//	rate_limited      the limit of the account is used up; the message says until when
//	forbidden         the network refuses; the message names the scope that may be missing
//	invalid_input     the network does not take what was sent
//	unavailable       the network does not answer, or that it cannot
func (a *API) Do(ctx context.Context, c Call, into any) (http.Header, error) {
	route, err := a.Route(c.Name)
	if err != nil {
		return nil, err
	}
	m, err := a.message(ctx, route, c)
	if err != nil {
		return nil, err
	}
	answer, err := a.exchange(ctx, m)
	if err != nil {
		return nil, err
	}
	return answer.header, a.read(ctx, m, answer, into)
}

// Route returns the route of a call. Errors have the codes not_configured and
// not_offered.
func (a *API) Route(call string) (Route, error) {
	if a.problem != nil {
		return Route{}, a.fail(CodeNotConfigured, "", a.problem.Error())
	}
	route, ok := a.routes.Calls[call]
	if !ok {
		return Route{}, a.fail(CodeNotOffered, call, "there is no such call")
	}
	if route.Unsupported != "" {
		return Route{}, a.fail(CodeNotOffered, call, route.Unsupported)
	}
	return route, nil
}

// fail returns a permanent failure.
func (a *API) fail(code, call, message string) *node.Error {
	what := strings.TrimSpace(a.network.Name + " " + call)
	return &node.Error{Code: code, Message: what + ": " + message, Permanent: true}
}

// message builds the request of a call.
func (a *API) message(ctx context.Context, route Route, c Call) (*message, error) {
	path, err := a.fill(ctx, route.Path, c)
	if err != nil {
		return nil, err
	}
	u := a.base.JoinPath(path)
	query := url.Values{}
	for name, text := range route.Query {
		query.Set(name, text)
	}
	maps.Copy(query, c.Query)
	u.RawQuery = query.Encode()
	m := &message{call: c, method: route.Method, url: u, once: route.Once, scope: route.Scope, header: http.Header{}, client: a.client}
	if c.Scope != "" {
		m.scope = c.Scope
	}
	if c.Body == nil {
		return m, nil
	}
	m.header.Set("Content-Type", "application/json")
	m.body, err = json.Marshal(c.Body)
	return m, err
}

// fill replaces the placeholders in a route's path by the call's values.
func (a *API) fill(ctx context.Context, path string, c Call) (string, error) {
	var failed error
	filled := placeholder.ReplaceAllStringFunc(path, func(match string) string {
		name := strings.Trim(match, "{}")
		id, ok := c.Path[name]
		if !ok && name == "me" {
			id, failed = a.Self(ctx, c.Ref)
		}
		return url.QueryEscape(id) // unlike PathEscape, it escapes the colons of URNs
	})
	return filled, failed
}
