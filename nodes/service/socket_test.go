package service_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/service"
	"github.com/svcflow/svc/nodes/service/servicetest"
)

// at returns an API of the network at address, over real connections.
func at(t *testing.T, address string, provider credentials.Provider) *service.API {
	t.Helper()
	return service.NewAPI(service.Network{Name: "net", Routes: []byte(table)}, service.Config{
		Getenv:      func(name string) string { return map[string]string{"NET_API_URL": address}[name] },
		Credentials: provider,
	})
}

func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// act is a call that must not happen twice.
func act() service.Call {
	return service.Call{Name: "act", Ref: "net:main", Body: map[string]string{"text": "hi"}}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var reached atomic.Int32
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	for _, status := range []int{301, 302, 303, 307, 308} {
		address := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, elsewhere, status) })
		a := at(t, address, servicetest.Hold(t.Context(), "net:main"))
		_, err := a.Do(t.Context(), service.Call{Name: "me", Ref: "net:main"}, nil)
		require.Equal(t, service.CodeBadAnswer, node.CodeOf(err))
		_, err = a.Do(t.Context(), act(), nil)
		require.Equal(t, service.CodeBadAnswer, node.CodeOf(err))
	}
	require.Zero(t, reached.Load())
}

// If a connection breaks after the whole request was sent, the outcome is unknown. If the
// connection was refused, nothing happened.
func TestWhetherItWasSentIsNoticed(t *testing.T) {
	var requests atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		_, _ = io.Copy(io.Discard, r.Body) // a small body
		panic(http.ErrAbortHandler)
	})
	a := at(t, address, servicetest.Hold(t.Context(), "net:main"))
	_, err := a.Do(t.Context(), act(), nil)
	require.Equal(t, service.CodeOutcomeUnknown, node.CodeOf(err))
	require.True(t, node.IsPermanent(err))
	require.EqualValues(t, 1, requests.Load())

	closed := httptest.NewServer(nil)
	closed.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := at(t, closed.URL, servicetest.Hold(t.Context(), "net:main")).Do(ctx, act(), nil)
		require.Equal(t, node.CodeUnavailable, node.CodeOf(err), "it gives up before the pause that would last too long: %v", err)
		require.NotContains(t, err.Error(), "127.0.0.1")
	})
}

// A truncated response is treated like no response.
func TestACutAnswerLeavesTheOutcomeOpen(t *testing.T) {
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, `{"id":`) // the rest is not sent
	})
	_, err := at(t, address, servicetest.Hold(t.Context(), "net:main")).Do(t.Context(), act(), new(struct{}))
	require.Equal(t, service.CodeOutcomeUnknown, node.CodeOf(err))
}

func TestCancelledCallsEndAsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	address := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices that the client has disconnected
		cancel()
		<-r.Context().Done()
	})
	_, err := at(t, address, servicetest.Hold(t.Context(), "net:main")).Do(ctx, act(), nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = service.Report(ctx, err)
	require.ErrorIs(t, err, context.Canceled)
}

// A rejected token is renewed by the refresher, once for all requests that were rejected
// with it, and the new token is used.
func TestARefusedTokenIsRenewed(t *testing.T) {
	network := &oauthtest.Network{}
	tokens := serve(t, network.ServeHTTP)
	old := network.Issue(time.Time{})
	source := &credentials.Memory{}
	require.NoError(t, source.SetCredential(t.Context(), "pronet:main", old))
	settings := network.Settings("pronet", tokens)
	clients := oauth.NewClients(networks(), func(name string) string { return settings[name] }, nil)
	refresher := oauth.NewRefresher(source, clients, slog.New(slog.DiscardHandler))
	defer refresher.Wait()

	var refused atomic.Int32
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+old.Access.Reveal() {
			refused.Add(1)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = io.WriteString(w, `{"id":"7"}`) // into a connection of the test
	})
	a := at(t, address, refresher)
	errs := make(chan error)
	for range 10 {
		go func() {
			_, err := a.Do(t.Context(), service.Call{Name: "me", Ref: "pronet:main"}, nil)
			errs <- err
		}()
	}
	for range 10 {
		require.NoError(t, <-errs)
	}
	require.NotZero(t, refused.Load())
	renewed, reused := network.Refreshes()
	require.Equal(t, []int{1, 0}, []int{renewed, reused})
}
