package microblog_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/microblog"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/nodetest/suites"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// described validates each request against the network's own description of its API before
// it responds.
type described struct {
	t       *testing.T
	router  routers.Router
	answers map[string]string
	seen    map[string]bool
}

// RoundTrip implements http.RoundTripper.
func (d *described) RoundTrip(r *http.Request) (*http.Response, error) {
	route, params, err := d.router.FindRoute(r)
	require.NoError(d.t, err, "%s %s", r.Method, r.URL)
	var body []byte
	if r.Body != nil {
		body, err = io.ReadAll(r.Body)
		require.NoError(d.t, err)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	input := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc},
	}
	require.NoError(d.t, openapi3filter.ValidateRequest(r.Context(), input), "%s %s", r.Method, r.URL)
	known := url.Values{}
	for _, p := range append(route.Operation.Parameters, route.PathItem.Parameters...) {
		known[p.Value.Name] = nil
	}
	for name := range r.URL.Query() {
		require.Contains(d.t, known, name, "the network refuses parameters that it does not know")
	}
	d.seen[r.Method+" "+route.Path] = true
	r.Body = nil
	return servicetest.JSON(http.StatusOK, d.answers[r.URL.Path])(r)
}

// The requests of the live profile conform to the network's own description of its API.
func TestConformanceOfRequests(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromFile(suites.Path(t, "x-openapi.json"))
	require.NoError(t, err)
	router, err := legacy.NewRouter(doc, openapi3.DisableSchemaPatternValidation()) // some patterns are in Perl's syntax
	require.NoError(t, err)
	network := &described{t: t, router: router, seen: map[string]bool{}, answers: map[string]string{"/2/users/me": `{"data":{"id":"7"}}`}}
	config := servicetest.Config(t.Context(), "microblog", nil)
	config.Getenv = func(name string) string { return map[string]string{"MICROBLOG_API_URL": "https://api.x.com"}[name] }
	config.Transport = network
	host := nodetest.New(t, microblog.New(config))
	for name, inputs := range map[string]values{
		"post_tweet":    {"text": "hi", "media_ids": []any{"12"}},
		"get_timeline":  {"limit": 250},
		"get_trending":  {"limit": 80},
		"search_tweets": {"query": "go", "limit": 3},
		"like_tweet":    {"tweet_id": "5"},
		"retweet":       {"tweet_id": "5"},
		"send_dm":       {"recipient_id": "12", "text": "hi"},
		"get_user_info": {"username": "xdev"},
	} {
		inputs["credential"] = ref
		_, _ = host.Exec("microblog."+name, nil, inputs)
	}
	require.Equal(t, map[string]bool{
		"GET /2/users/me": true,
		"POST /2/tweets":  true,
		"GET /2/users/{id}/timelines/reverse_chronological":       true,
		"GET /2/trends/by/woeid/{woeid}":                          true,
		"GET /2/tweets/search/recent":                             true,
		"POST /2/users/{id}/likes":                                true,
		"POST /2/users/{id}/retweets":                             true,
		"POST /2/dm_conversations/with/{participant_id}/messages": true,
		"GET /2/users/by/username/{username}":                     true,
	}, network.seen)
}
