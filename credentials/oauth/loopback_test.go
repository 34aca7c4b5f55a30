package oauth_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// serve starts network and returns its client.
func serve(t *testing.T, network *oauthtest.Network, more map[string]string) *oauth.Client {
	t.Helper()
	server := httptest.NewServer(network)
	t.Cleanup(server.Close)
	variables := network.Settings("pronet", server.URL)
	maps.Copy(variables, more)
	client, err := oauth.NewClients(networks(), getenv(variables), nil).Client("pronet")
	require.NoError(t, err)
	return client
}

// logIn logs in and waits until the browser has loaded its last page.
func logIn(ctx context.Context, l oauth.Loopback, client *oauth.Client) (credentials.Credential, error) {
	var browser sync.WaitGroup
	defer browser.Wait()
	if open := l.Open; open != nil {
		browser.Add(1)
		l.Open = func(address string) error {
			defer browser.Done()
			return open(address)
		}
	}
	return l.Login(ctx, client)
}

// get downloads a page like a browser that follows redirects.
func get(t *testing.T, address string) (status int, page string, header http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text), answer.Header
}

// redirectOf returns the redirect address of the login at address.
func redirectOf(t *testing.T, address string) string {
	t.Helper()
	asked, err := url.Parse(address)
	require.NoError(t, err)
	return asked.Query().Get("redirect_uri")
}

// requireClosed requires that the listener of a login is closed.
func requireClosed(t *testing.T, address string) {
	t.Helper()
	back, err := url.Parse(redirectOf(t, address))
	require.NoError(t, err)
	var dialer net.Dialer
	connection, err := dialer.DialContext(t.Context(), "tcp", back.Host)
	if err == nil {
		_ = connection.Close()
	}
	require.Error(t, err)
}

func TestLoopback(t *testing.T) {
	network := &oauthtest.Network{Lifetime: time.Hour}
	client := serve(t, network, nil)
	var shown string
	pages := make(chan string, 1)
	login := oauth.Loopback{
		ShowURL: func(address string) { shown = address },
		Open: func(address string) error {
			status, page, header := get(t, address)
			assert.Equal(t, http.StatusOK, status)
			assert.Equal(t, shown, address)
			assert.Equal(t, "no-store", header.Get("Cache-Control"))
			assert.Equal(t, "no-referrer", header.Get("Referrer-Policy"))
			assert.Contains(t, header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-")
			pages <- page
			return nil
		},
	}
	c, err := logIn(t.Context(), login, client)
	require.NoError(t, err)
	require.True(t, network.Alive(c.Access))
	require.Contains(t, <-pages, "The account is connected")
	require.Regexp(t, `^http://127\.0\.0\.1:\d+/callback$`, redirectOf(t, shown))
	requireClosed(t, shown)
}

func TestLoopbackDenied(t *testing.T) {
	pages := make(chan string, 1)
	login := oauth.Loopback{Open: func(address string) error {
		status, page, _ := get(t, address)
		assert.Equal(t, http.StatusBadRequest, status)
		pages <- page
		return nil
	}}
	_, err := logIn(t.Context(), login, serve(t, &oauthtest.Network{Deny: true}, nil))
	require.ErrorIs(t, err, oauth.ErrDenied)
	require.Contains(t, <-pages, "<p>Access was denied; log in again and consent, or choose another account (pronet).</p>")
}

// Only the right query at the right address ends the login, and only once.
func TestLoopbackTakesOneAnswer(t *testing.T) {
	network := &oauthtest.Network{}
	client := serve(t, network, nil)
	var exchanges atomic.Int32
	network.Answer = func(http.ResponseWriter, *http.Request) bool {
		exchanges.Add(1)
		return false
	}
	var address string
	login := oauth.Loopback{
		ShowURL: func(shown string) { address = shown },
		Open: func(address string) error {
			back := redirectOf(t, address)
			for path, want := range map[string]int{
				back: 400, back + "?state=forged&error=access_denied": 400, back + "/x": 404, back[:len(back)-len("/callback")]: 404,
			} {
				status, page, _ := get(t, path)
				assert.Equal(t, want, status, path)
				assert.NotContains(t, page, "forged")
			}
			posted, err := http.Post(back, "text/plain", nil) // on this machine
			if assert.NoError(t, err) {
				assert.Equal(t, http.StatusMethodNotAllowed, posted.StatusCode)
				_ = posted.Body.Close()
			}
			status, _, _ := get(t, address)
			assert.Equal(t, http.StatusOK, status)
			return nil
		},
	}
	c, err := logIn(t.Context(), login, client)
	require.NoError(t, err)
	require.True(t, network.Alive(c.Access))
	require.EqualValues(t, 1, exchanges.Load())
	requireClosed(t, address)
}

// A web page may send a browser to this port with another host name.
func TestLoopbackAnswersToItsNameOnly(t *testing.T) {
	login := oauth.Loopback{Open: func(address string) error {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, redirectOf(t, address), nil)
		if assert.NoError(t, err) {
			request.Host = "rebound.example"
			answer, err := http.DefaultTransport.RoundTrip(request)
			if assert.NoError(t, err) {
				assert.Equal(t, http.StatusNotFound, answer.StatusCode)
				_ = answer.Body.Close()
			}
		}
		get(t, address)
		return nil
	}}
	_, err := logIn(t.Context(), login, serve(t, &oauthtest.Network{}, nil))
	require.NoError(t, err)
}

func TestLoopbackEnds(t *testing.T) {
	client := serve(t, &oauthtest.Network{}, nil)
	var address string
	show := func(shown string) { address = shown }

	_, err := logIn(t.Context(), oauth.Loopback{ShowURL: show, Timeout: time.Millisecond}, client)
	require.ErrorIs(t, err, oauth.ErrTimeout)
	requireClosed(t, address)

	ctx, cancel := context.WithCancel(t.Context())
	_, err = logIn(ctx, oauth.Loopback{ShowURL: show, Open: func(string) error { cancel(); return errors.New("x") }}, client)
	require.ErrorIs(t, err, context.Canceled)
	requireClosed(t, address)

	_, err = logIn(t.Context(), oauth.Loopback{Open: func(string) error { return errors.New("canary") }}, client)
	require.ErrorContains(t, err, "no browser could be opened")
	require.NotContains(t, err.Error(), "canary")
	require.Eventually(t, func() bool {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		return !bytes.Contains(stacks, []byte("oauth.Loopback.")) && !bytes.Contains(stacks, []byte("oauth.(*callback)"))
	}, time.Minute, time.Millisecond, "no goroutine is left")
}

// If no browser opens, the user copies the address.
func TestLoopbackWithCopiedAddress(t *testing.T) {
	addresses := make(chan string, 1)
	login := oauth.Loopback{
		ShowURL: func(address string) { addresses <- address },
		Open:    func(string) error { return errors.New("no browser") },
	}
	client := serve(t, &oauthtest.Network{}, nil)
	var user sync.WaitGroup
	user.Go(func() { get(t, <-addresses) })
	_, err := logIn(t.Context(), login, client)
	user.Wait()
	require.NoError(t, err)
}

func TestLoopbackPorts(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }() // of nobody
	port := func(l net.Listener) string { return strconv.Itoa(l.Addr().(*net.TCPAddr).Port) }

	_, err = logIn(t.Context(), oauth.Loopback{}, serve(t, &oauthtest.Network{}, map[string]string{"PRONET_REDIRECT_PORTS": port(taken)}))
	require.ErrorIs(t, err, oauth.ErrNotConfigured)
	require.ErrorContains(t, err, "PRONET_REDIRECT_PORTS is free ("+port(taken)+")")

	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	client := serve(t, &oauthtest.Network{}, map[string]string{"PRONET_REDIRECT_PORTS": port(taken) + "," + port(free)})
	require.NoError(t, free.Close()) // once the servers of the test have theirs
	login := oauth.Loopback{Open: func(address string) error {
		assert.Equal(t, "http://127.0.0.1:"+port(free)+"/callback", redirectOf(t, address))
		get(t, address)
		return nil
	}}
	c, err := logIn(t.Context(), login, client)
	require.NoError(t, err)
	require.NotEqual(t, credentials.Credential{}, c)
}

func TestPageShowsText(t *testing.T) {
	recorder := httptest.NewRecorder()
	oauth.WritePage(recorder, errors.New("a<b>&\""))
	require.Contains(t, recorder.Body.String(), "A&lt;b&gt;&amp;&#34;.")
	recorder = httptest.NewRecorder()
	oauth.WritePage(recorder, context.Canceled)
	require.Contains(t, recorder.Body.String(), "The login was cancelled.")
}
