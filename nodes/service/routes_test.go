package service_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

func TestRoutesThatAreRefused(t *testing.T) {
	profiles := func(spec, live string) string {
		return `{"profiles":{"spec":{"calls":` + spec + `},"live":{"calls":` + live + `}}}`
	}
	good := `{"me":{"method":"GET","path":"/me"}}`
	_, err := service.ParseRoutes([]byte(profiles(good, good)))
	require.NoError(t, err)
	for table, message := range map[string]string{
		`{`:           "unexpected EOF",
		`{"host":[]}`: "unknown field",
		`{}`:          "need the same calls",
		profiles(good, `{"you":{"method":"GET","path":"/me"}}`):                                    "need the same calls",
		profiles(good, `{"me":{"method":"PUT","path":"/me"}}`):                                     "me: method",
		profiles(good, `{"me":{"method":"GET","path":"me"}}`):                                      "me: path",
		profiles(good, `{"me":{"method":"GET","path":"/me?a"}}`):                                   "me: path",
		profiles(good, `{"me":{"method":"GET","path":"/{me"}}`):                                    "me: path",
		profiles(good, `{"me":{"method":"GET","path":"/me","page":{"size":"n","min":2,"max":1}}}`): "2 to 1 items",
	} {
		_, err := service.ParseRoutes([]byte(table))
		require.ErrorContains(t, err, message)
	}
}

// table has one call, with a different path in each profile.
const table = `{"profiles":{
	"spec":{"calls":{"me":{"method":"GET","path":"/me"},"act":{"method":"POST","path":"/act","once":true}}},
	"live":{"path":"/v2","calls":{"me":{"method":"GET","path":"/live/me"},"act":{"unsupported":"nobody offers that"}}}}}`

// network returns an API with settings, and stub as the network.
func network(t *testing.T, settings map[string]string, stub http.RoundTripper) *service.API {
	t.Helper()
	return process(t, nil, stub, settings)
}

// process returns the API of one of several processes that share windows.
func process(t *testing.T, w service.Windows, network http.RoundTripper, settings map[string]string) *service.API {
	t.Helper()
	return service.NewAPI(service.Network{Name: "net", Routes: []byte(table)}, service.Config{
		Networks:    networks(),
		Getenv:      func(name string) string { return settings[name] },
		Credentials: servicetest.Hold(t.Context(), "net:main"),
		Windows:     w,
		Transport:   network,
	})
}

func TestSettings(t *testing.T) {
	tests := []struct {
		url, routes, limit string
		want               string // path of the call, or the error
	}{
		{"https://other.example", "", "", "GET /me"},
		{"https://other.example/", "", "", "GET /me"},
		{"https://other.example/api/", "", "", "GET /api/me"},
		{"https://real.example", "", "", "GET /v2/live/me"},
		{"https://real.example/v3", "", "", "GET /v3/live/me"},
		{"https://real.example", "spec", "", "GET /me"},
		{"https://other.example", "live", "450/15m", "GET /v2/live/me"},
		{"http://127.0.0.1:8099", "", "", "GET /me"},
		{"", "", "", "set NET_API_URL"},
		{"http://other.example", "", "", "NET_API_URL has to be an address that begins with https://"},
		{"https://user:pass@other.example", "", "", "NET_API_URL has to be"},
		{"other.example", "", "", "NET_API_URL has to be"},
		{"https://other.example", "mine", "", "NET_ROUTES is neither spec nor live"},
		{"https://other.example", "", "450", "NET_RATE_LIMIT has to be"},
		{"https://other.example", "", "0/1m", "NET_RATE_LIMIT has to be"},
	}
	for _, tt := range tests {
		stub := &servicetest.Stub{Script: servicetest.Times(1, servicetest.JSON(200, `{"id":"7"}`))}
		a := network(t, map[string]string{"NET_API_URL": tt.url, "NET_ROUTES": tt.routes, "NET_RATE_LIMIT": tt.limit}, stub)
		_, err := a.Self(t.Context(), "net:main")
		if err == nil {
			require.Equal(t, tt.want, stub.Requests()[0].Line)
			continue
		}
		require.Equal(t, service.CodeNotConfigured, node.CodeOf(err))
		require.True(t, node.IsPermanent(err))
		require.ErrorContains(t, err, tt.want)
		require.NotContains(t, err.Error(), "pass")
		require.Empty(t, stub.Requests())
	}
}

func TestWhatIsNotOffered(t *testing.T) {
	a := network(t, map[string]string{"NET_API_URL": "https://real.example"}, &servicetest.Stub{})
	for call, message := range map[string]string{"act": "nobody offers that", "fly": "there is no such call"} {
		_, err := a.Do(t.Context(), service.Call{Name: call, Ref: "net:main"}, nil)
		require.Equal(t, service.CodeNotOffered, node.CodeOf(err))
		require.ErrorContains(t, err, message)
	}
}

// The id of an account is requested once per token, even by concurrent calls.
func TestSelfIsAskedOnce(t *testing.T) {
	stub := &servicetest.Stub{Answers: map[string]string{"GET /me": `{"data":{"id":"7"}}`}}
	a := network(t, map[string]string{"NET_API_URL": "https://other.example"}, stub)
	results := make(chan string)
	for range 20 {
		go func() {
			id, _ := a.Self(t.Context(), "net:main")
			results <- id
		}()
	}
	for range 20 {
		require.Equal(t, "7", <-results)
	}
	require.Len(t, stub.Requests(), 1)
}

// After another login, the same reference may belong to another account.
func TestSelfIsAskedAgainForAnotherToken(t *testing.T) {
	stub := &servicetest.Stub{Script: []servicetest.Answer{servicetest.JSON(200, `{"id":"7"}`), servicetest.JSON(200, `{"id":"8"}`)}}
	provider := servicetest.Hold(t.Context(), "net:main")
	a := service.NewAPI(service.Network{Name: "net", Routes: []byte(table)}, service.Config{
		Networks:    networks(),
		Getenv:      func(name string) string { return map[string]string{"NET_API_URL": "https://other.example"}[name] },
		Credentials: provider, Transport: stub,
	})
	id, err := a.Self(t.Context(), "net:main")
	require.NoError(t, err)
	require.Equal(t, "7", id)
	_, err = provider.Refresh(t.Context(), "net:main", credentials.NewSecret(servicetest.Token))
	require.NoError(t, err)
	id, err = a.Self(t.Context(), "net:main")
	require.NoError(t, err)
	require.Equal(t, "8", id)
}

func TestAnIDThatIsNoneIsRefused(t *testing.T) {
	for _, answer := range []string{`{}`, `{"id":"../x"}`} {
		stub := &servicetest.Stub{Answers: map[string]string{"GET /me": answer}}
		_, err := network(t, map[string]string{"NET_API_URL": "https://other.example"}, stub).Self(t.Context(), "net:main")
		require.Equal(t, service.CodeBadAnswer, node.CodeOf(err))
	}
}
