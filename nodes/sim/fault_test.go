package sim_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/sim"
)

// send sends a request that may get no response.
func (b *bench) send(r *http.Request) (reply, error) {
	b.t.Helper()
	answer, err := b.RoundTrip(r)
	if err != nil {
		return reply{}, err
	}
	text, err := io.ReadAll(answer.Body)
	require.NoError(b.t, err)
	return reply{answer.StatusCode, answer.Header, string(text)}, answer.Body.Close()
}

func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		fault sim.Fault
		says  string // of the response, or its error
		want  reply
		posts int
	}{
		"401":           {sim.Fault{Status: 401}, "Unauthorized", reply{status: 401}, 0},
		"403":           {sim.Fault{Status: 403, Body: json.RawMessage(`{"detail":"dm.write"}`)}, `{"detail":"dm.write"}`, reply{status: 403}, 0},
		"429":           {sim.Fault{Status: 429, Header: map[string]string{"Retry-After": "2"}}, "Too Many", reply{status: 429, header: http.Header{"Retry-After": {"2"}}}, 0},
		"429, no hint":  {sim.Fault{Status: 429}, "Too Many", reply{status: 429}, 0},
		"500":           {sim.Fault{Status: 500}, "Internal", reply{status: 500}, 0},
		"500 too late":  {sim.Fault{Status: 500, After: true}, "Internal", reply{status: 500}, 1},
		"garbage":       {sim.Fault{Break: sim.Garbage}, `{"data":{"id":"18`, reply{status: 200}, 0},
		"page":          {sim.Fault{Break: sim.HTML}, "<h1>", reply{status: 502, header: http.Header{"Content-Type": {"text/html"}}}, 0},
		"redirect":      {sim.Fault{Break: sim.Redirect, To: "http://other.example/"}, "", reply{status: 307, header: http.Header{"Location": {"http://other.example/"}}}, 0},
		"cut":           {sim.Fault{Break: sim.Cut}, "unexpected EOF", reply{}, 0},
		"cut too late":  {sim.Fault{Break: sim.Cut, After: true}, "unexpected EOF", reply{}, 1},
		"of all routes": {sim.Fault{Route: "*", Status: 503}, "Service Unavailable", reply{status: 503}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			fault := c.fault
			if fault.Route == "" {
				fault.Route = "post_tweet"
			}
			fault.Skip, fault.Times = 1, 1
			b := newBench(t, "microblog", sim.Config{Faults: []sim.Fault{fault}})
			before := len(b.Posts())
			post := func(text string) (reply, error) { return b.send(b.request("POST", "/2/tweets", record{"text": text})) }
			a, err := post("before")
			require.NoError(t, err)
			require.Equal(t, 201, a.status)

			a, err = post("hit")
			if c.want.status == 0 {
				require.EqualError(t, err, c.says)
			} else {
				require.NoError(t, err)
				require.Contains(t, a.text, c.says)
			}
			require.Equal(t, c.want.status, a.status)
			require.Subset(t, a.header, c.want.header)
			require.Len(t, b.Posts(), before+1+c.posts)
			require.Equal(t, c.want.status, b.Requests()[1].Status)

			a, err = post("after")
			require.NoError(t, err)
			require.Equal(t, 201, a.status)
		})
	}
}

func TestFaultsFollowEachOther(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{Faults: []sim.Fault{
		{Route: "me", Times: 2, Status: 500}, {Route: "get_trending", Status: 404}, {Route: "me", Times: 1, Status: 401},
	}})
	var statuses []int
	for range 4 {
		statuses = append(statuses, b.call("GET", "/2/users/me", nil).status)
	}
	require.Equal(t, []int{500, 500, 401, 200}, statuses)
}

func TestHugeAnswer(t *testing.T) {
	b := newBench(t, "pronet", sim.Config{Faults: []sim.Fault{{Route: "get_feed", Break: sim.Huge}}})
	a, err := b.send(b.request("GET", "/feed", nil))
	require.NoError(t, err)
	require.Greater(t, len(a.text), 10<<20)
	require.True(t, json.Valid([]byte(a.text)))
}

func TestSlowAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, "microblog", sim.Config{Faults: []sim.Fault{
			{Route: "post_tweet", Times: 1, DelayMs: 20_000},
			{Route: "post_tweet", Times: 1, DelayMs: 20_000, After: true},
			{Route: "post_tweet", DelayMs: 20_000},
		}})
		before := len(b.Posts())
		impatient := func(text string) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err := b.send(b.request("POST", "/2/tweets", record{"text": text}).WithContext(ctx))
			return err
		}
		require.ErrorIs(t, impatient("lost"), context.DeadlineExceeded)
		require.Len(t, b.Posts(), before, "the client had gone before the network did it")
		require.ErrorIs(t, impatient("done"), context.DeadlineExceeded)
		require.Len(t, b.Posts(), before+1, "the network had done it before the client went")

		start := time.Now()
		require.Equal(t, 201, b.call("POST", "/2/tweets", record{"text": "late"}).status)
		require.Equal(t, 20*time.Second, time.Since(start))
	})
}

// Over a real connection the faults have the same effects.
func TestFaultsOnTheWire(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{Faults: []sim.Fault{
		{Route: "me", Times: 1, Break: sim.Cut}, {Route: "me", Times: 1, DelayMs: 60_000},
	}})
	server := httptest.NewServer(b)
	defer server.Close()
	get := func(ctx context.Context) (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/2/users/me", nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+b.token)
		r.GetBody = nil
		return (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	}
	_, err := get(t.Context()) //nolint:bodyclose // there is no response
	require.ErrorIs(t, err, io.EOF)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = get(ctx) //nolint:bodyclose // there is no response
	require.ErrorIs(t, err, context.DeadlineExceeded)
	answer, err := get(t.Context())
	require.NoError(t, err)
	require.Equal(t, 200, answer.StatusCode)
	require.NoError(t, answer.Body.Close())
}

// RoundTrip calls the hooks of a client trace.
func TestRoundTripTraces(t *testing.T) {
	b := newBench(t, "microblog", sim.Config{})
	headers, all := false, false
	r := b.request("GET", "/2/users/me", nil)
	_, err := b.send(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		WroteHeaders: func() { headers = true }, WroteRequest: func(httptrace.WroteRequestInfo) { all = true },
	})))
	require.NoError(t, err)
	require.True(t, headers && all)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = b.send(r.WithContext(ctx))
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, b.Requests(), 1, "a request that is over is not sent")
}

func TestFaultsThatCannotBe(t *testing.T) {
	for says, fault := range map[string]sim.Fault{
		`there is no route "like_post"`: {Route: "like_post", Status: 500},
		`there is no route ""`:          {Status: 500},
		"not negative":                  {Route: "*", Skip: -1},
		"200 is not the status":         {Route: "*", Status: 200},
		"a status or a break":           {Route: "*", Status: 500, Break: sim.Cut},
		"needs an address":              {Route: "*", Break: sim.Redirect},
		`there is no break "explode"`:   {Route: "*", Break: "explode"},
	} {
		_, err := sim.NewMicroblog(sim.Config{Faults: []sim.Fault{fault}})
		require.ErrorContains(t, err, says)
	}
}

func TestScriptsAndSeedsAreStrict(t *testing.T) {
	faults, err := sim.ParseFaults([]byte(`{"microblog":[{"route":"like_tweet","times":1,"status":429,"header":{"Retry-After":"1"}}]}`))
	require.NoError(t, err)
	require.Equal(t, []sim.Fault{{Route: "like_tweet", Times: 1, Status: 429, Header: map[string]string{"Retry-After": "1"}}}, faults["microblog"])
	for _, text := range []string{`{"facebook":[]}`, `{"pronet":[{"rout":"*"}]}`, `[]`, ``, `{} {}`} {
		_, err = sim.ParseFaults([]byte(text))
		require.Error(t, err, text)
	}
	_, err = sim.ParseSeeds([]byte(`{"pronet":{"acounts":[]}}`))
	require.ErrorContains(t, err, "acounts")
	_, err = sim.NewPronet(sim.Config{Seed: &sim.Seed{Posts: []sim.SeedPost{{Author: "nobody", Text: "a"}}}})
	require.ErrorContains(t, err, "nobody")
}
