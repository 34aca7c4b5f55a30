package servicetest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	networktable "github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/nodetest"
	"github.com/svcflow/svc/nodes/service"
)

// Case is a node under test, with inputs for which it succeeds.
type Case struct {
	Type   string
	Inputs map[string]any
	Main   string // the request that faults apply to, such as "POST /2/tweets"
	// Answers are the network's responses without a fault; see [Stub].
	Answers map[string]string
	Acts    bool // the node reports failures as outputs
	Once    bool // its request must not be sent twice after it may have had an effect
}

// want is the expected result of a fault. An empty code means success.
type want struct {
	code     string // error code of a node that reads
	fails    bool   // a node that acts fails too, instead of reporting the failure
	tries    int    // expected requests if they may be repeated
	once     int    // expected requests if they may not; 0: as tries
	unknown  bool   // if the request may not be repeated, the outcome is unknown
	done     bool   // a node that acts counts as successful
	atLeast  time.Duration
	mentions string
}

type fault struct {
	name   string
	script func() []Answer
	want   want
}

func always(a Answer) func() []Answer { return func() []Answer { return Times(100, a) } }

func first(answers ...Answer) func() []Answer { return func() []Answer { return answers } }

// inSeconds is a response whose rate limit window ends in n seconds.
func inSeconds(n int) Answer {
	return func(r *http.Request) (*http.Response, error) {
		reset := strconv.FormatInt(time.Now().Unix()+int64(n), 10)
		return Reply(http.StatusTooManyRequests, `{"title":"Too Many Requests"}`, "X-Rate-Limit-Remaining", "0", "X-Rate-Limit-Reset", reset)(r)
	}
}

func faults() []fault {
	html := "<!DOCTYPE html><title>Bad gateway</title>"
	capped := `{"title":"UsageCapExceeded","type":"https://api.example/2/problems/usage-capped"}`
	return []fault{
		{"token renewed", first(JSON(401, `{"title":"Unauthorized"}`)), want{tries: 2}},
		{"token revoked", always(JSON(401, `{"title":"Unauthorized"}`)), want{code: "reauthorize", fails: true, tries: 2}},
		{"no credits", always(JSON(402, `{"title":"CreditsDepleted"}`)), want{code: "quota_exceeded", tries: 1, mentions: "used up"}},
		{"forbidden", always(JSON(403, `{"detail":"Not permitted"}`)), want{code: "forbidden", tries: 1, mentions: "Not permitted"}},
		{"not found", always(JSON(404, `{"title":"Not Found"}`)), want{code: "not_found", tries: 1, mentions: "404"}},
		{"done before", always(JSON(409, `{"title":"Conflict"}`)), want{code: "conflict", tries: 1, done: true}},
		{"window closed", always(inSeconds(600)), want{code: "rate_limited", tries: 1, mentions: "until"}},
		{"window opens soon", first(inSeconds(3)), want{tries: 2, atLeast: 3 * time.Second}},
		{"told to retry", first(Reply(429, "", "Retry-After", "5")), want{tries: 2, atLeast: 5 * time.Second}},
		{"busy without a word", always(JSON(429, `{"title":"Too Many Requests"}`)), want{code: "rate_limited", tries: 4}},
		{"usage capped", always(Reply(429, capped, "X-Rate-Limit-Remaining", "39999")), want{code: "quota_exceeded", tries: 1}},
		{"server error", always(JSON(500, `{}`)), want{code: "unavailable", tries: 4, once: 1, unknown: true}},
		{"server error once", first(JSON(503, `{}`)), want{tries: 2, once: 1, unknown: true}},
		{"bad gateway", always(Reply(502, html)), want{code: "unavailable", tries: 4, once: 1, unknown: true}},
		{"cut after sending", always(Cut), want{code: "unavailable", tries: 4, once: 1, unknown: true}},
		{"cut once", first(Cut), want{tries: 2, once: 1, unknown: true}},
		{"unreachable", always(Unreachable), want{code: "unavailable", tries: 4, mentions: "cannot be reached"}},
		{"unreachable once", first(Unreachable), want{tries: 2}},
		{"garbage", always(Reply(200, `{"data":[{"id":`)), want{code: "bad_answer", tries: 1, unknown: true}},
		{"page of HTML", always(Reply(200, html, "Content-Type", "text/html")), want{code: "bad_answer", tries: 1, unknown: true}},
		{"ten megabytes", always(Reply(200, `{"data":"`+strings.Repeat("x", 10<<20)+`"}`)), want{code: "bad_answer", tries: 1, unknown: true, mentions: "8 MiB"}},
		{"token repeated", always(JSON(400, `{"detail":"`+Token+` is\nbad"}`)), want{code: "invalid_input", tries: 1, mentions: "[redacted] is bad"}},
		{"redirect", always(Reply(302, "", "Location", "https://elsewhere.example/")), want{code: "bad_answer", tries: 1, mentions: "redirects"}},
	}
}

// Faults runs each case with each fault, in virtual time. It checks the result of the node,
// the number of requests, and that the token does not leak. The plugin's API address is
// https://<network>.example.
func Faults(t *testing.T, network string, plugin Plugin, cases []Case) {
	for _, c := range cases {
		for _, f := range faults() {
			t.Run(c.Type+"/"+f.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { c.run(t, network, plugin, f) })
			})
		}
		t.Run(c.Type+"/silent", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { c.silent(t, network, plugin) })
		})
	}
}

// Config returns a config that sends all requests to stub.
func Config(ctx context.Context, network string, stub *Stub) service.Config {
	return service.Config{
		Networks: networktable.Shipped(),
		Getenv: func(name string) string {
			return map[string]string{strings.ToUpper(network) + "_API_URL": "https://" + network + ".example"}[name]
		},
		Credentials: Hold(ctx, credentials.Ref(network+":main")),
		Transport:   stub,
	}
}

func (c Case) run(t *testing.T, network string, plugin Plugin, f fault) {
	stub := &Stub{Answers: c.Answers, Script: f.script(), Main: c.Main}
	host := nodetest.New(t, plugin(Config(t.Context(), network, stub)))
	ctx, cancel := context.WithTimeout(t.Context(), node.DefaultTimeout)
	defer cancel()
	start := time.Now()
	out, err := host.ExecContext(ctx, c.Type, nil, c.Inputs)

	tries := f.want.tries
	if c.Once && f.want.once > 0 {
		tries = f.want.once
	}
	require.Equal(t, tries, stub.Count(c.Main), "requests")
	require.GreaterOrEqual(t, time.Since(start), f.want.atLeast)
	c.check(t, f.want, out, err)
	for _, token := range []string{Token, Renewed} {
		require.NotContains(t, fmt.Sprint(out, err), token)
	}
	for _, r := range stub.Requests() {
		require.NotContains(t, r.Line, "elsewhere")
	}
}

func (c Case) check(t *testing.T, w want, out map[string]any, err error) {
	switch {
	case w.code != "" && (!c.Acts || w.fails):
		require.Equal(t, w.code, node.CodeOf(err), "%v", err)
		require.ErrorContains(t, err, w.mentions)
	case c.Once && w.unknown:
		require.NoError(t, err)
		require.Equal(t, false, out["success"])
		require.Contains(t, out["error"], "outcome unknown")
		require.Contains(t, out["error"], w.mentions)
	case w.code == "", w.done && !c.Once:
		require.NoError(t, err)
		if c.Acts {
			require.Equal(t, true, out["success"], "%v", out["error"])
			require.Nil(t, out["error"])
		}
	default:
		require.NoError(t, err)
		require.Equal(t, false, out["success"])
		require.Contains(t, out["error"], w.mentions)
	}
}

// silent checks a network that does not respond before the node's timeout.
func (c Case) silent(t *testing.T, network string, plugin Plugin) {
	stub := &Stub{Answers: c.Answers, Script: Times(100, Silent), Main: c.Main}
	host := nodetest.New(t, plugin(Config(t.Context(), network, stub)))
	ctx, cancel := context.WithTimeout(t.Context(), node.DefaultTimeout)
	defer cancel()
	start := time.Now()
	out, err := host.ExecContext(ctx, c.Type, nil, c.Inputs)
	require.Equal(t, node.DefaultTimeout, time.Since(start))
	require.Equal(t, 1, stub.Count(c.Main))
	if c.Once {
		require.NoError(t, err)
		require.Contains(t, out["error"], "outcome unknown")
		return
	}
	require.ErrorIs(t, err, context.DeadlineExceeded)
}
