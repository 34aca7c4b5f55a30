//go:build e2e && linux

package e2e_test

import (
	"bytes"
	"encoding/json"
	"image"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/cmd/svc-desktop/internal/xtest"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	networks "github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
	"github.com/svcflow/svc/nodes/sim"
)

// pronetMain is the account that the tests of this file connect.
const pronetMain = credentials.Ref("pronet:main")

// Where things are in the dialog.

func connectButton() image.Rectangle { return image.Rect(640, 180, 940, 250) }
func accountList() image.Rectangle   { return image.Rect(350, 250, 940, 540) }
func storageLine() image.Rectangle   { return image.Rect(350, 520, 940, 610) }

// A user connects an account with a browser, a workflow uses it, and it is disconnected
// again. Provider, browser, keyring and window are real; only the network's API is not.
func TestConnectsAnAccount(t *testing.T) {
	d := newDesktop(t)
	provider := oauthtest.StartProvider(t, time.Minute)
	network := newNetwork(t, provider)
	d.Setenv("PATH", provider.Bin()+string(os.PathListSeparator)+os.Getenv("PATH"))
	d.Setenvs(network.settings(t))
	bus := d.Keyring()
	p := d.Open(profileFile(t, d))
	d.Move(d.Size().Div(2))
	d.Settled()

	beginLogin(d)
	d.Await("a connected account", connected)
	d.Picture("account-connected")
	access, refresh := network.given()
	d.Key("Tab", "Tab", "Tab", "Tab", "Tab", "space") // Test, Reconnect, Disconnect, Connect an account, Close
	d.Await("the canvas", uncovered)
	d.Key("F5")
	profile := d.Home("profile.txt")
	awaitFile(t, profile, "Ada Lovelace")
	d.Await("nodes that went well", func(s *xtest.Screen) bool { return s.Count(s.Bounds(), colorOK) > 100 && !covered(s) })
	d.Picture("account-run")
	require.Contains(t, kept(t, d.Home(".local", "share", "svc", "runs")), "Ada Lovelace")

	require.Equal(t, access, keptToken(t, d, bus), "the keyring has it")
	requireNowhere(t, d, access, refresh)

	command(d, "Accounts")
	d.Await("a connected account", connected)
	d.Key("Tab", "Tab", "Tab", "space")
	d.Await("a question", func(s *xtest.Screen) bool { return s.Count(accountList(), colorOK) < 40 })
	d.Picture("account-disconnect")
	d.Key("Tab", "space")
	require.Eventually(t, func() bool { return network.revoked(refresh) }, patience, 50*time.Millisecond, "the provider is told")
	require.Eventually(t, func() bool { return keptToken(t, d, bus) == "" }, patience, 100*time.Millisecond, "the keyring forgets it")
	require.Zero(t, p.Stop(), p.Log())
	requireNowhere(t, d, access, refresh)
	for _, secret := range []string{access, refresh} {
		require.NotContains(t, p.Log(), secret)
	}
}

// beginLogin opens the accounts and connects pronet:main, as far as the window has to do
// with it.
func beginLogin(d *xtest.Desktop) {
	command(d, "Accounts")
	awaitDialog(d)
	button := seen(d, "the button to connect an account", connectButton(), colorAccent)
	d.Click(button)
	d.Move(d.Size().Div(2)) // what is under the mouse has another colour
	d.Await("the form", func(s *xtest.Screen) bool { return s.Count(connectButton(), colorAccent) == 0 })
	d.Key("Tab", "space")
	for range slices.Index(networks.Shipped().Names(), pronetMain.Network()) { // the first one is marked already
		d.Key("Down")
	}
	d.Key("Return")
	d.Picture("account-form")
	d.Key("Tab", "Tab", "Tab", "space") // account, kind, Connect
}

// connected reports whether the list has an account that can be used.
func connected(s *xtest.Screen) bool { return s.Count(accountList(), colorOK) >= 40 }

// keptToken returns the access token in the keyring; "" without one.
func keptToken(t *testing.T, d *xtest.Desktop, bus string) string {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus)
	options := client.Options{Dir: d.Home(".config", "svc", "accounts"), Service: "com.svcflow.svc"}
	keyring := client.Open(t.Context(), options)
	require.Equal(t, client.InKeyring, keyring.Status().Storage)
	c, err := keyring.Credential(t.Context(), pronetMain)
	if err != nil {
		require.ErrorIs(t, err, credentials.ErrNotFound)
	}
	return c.Access.Reveal()
}

// profileFile is a file with a workflow that writes the name of the account's user into
// a file.
func profileFile(t *testing.T, d *xtest.Desktop) string {
	t.Helper()
	path := d.Home("profile.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"id": "profile", "name": "Profile", "nodes": [
		{"id": "me", "type": "pronet.fetch_profile", "config": {"credential": "pronet:main"}, "position": {"x": 0, "y": 0}},
		{"id": "write", "type": "io.file_write", "config": {"path": "profile.txt"}, "position": {"x": 280, "y": 0}}
	], "connections": [{"fromNodeId": "me", "fromPort": "name", "toNodeId": "write", "toPort": "content"}]}`), 0o600))
	return path
}

// network is a professional network whose tokens a provider gives out: its API takes
// those that the provider knows. It remembers what it has given.
type network struct {
	provider *oauthtest.Provider
	api      *sim.Network
	server   *httptest.Server
	t        *testing.T

	mu              sync.Mutex
	access, refresh string
	ended           []string
}

func newNetwork(t *testing.T, provider *oauthtest.Provider) *network {
	t.Helper()
	api, err := sim.NewPronet(sim.Config{Profile: sim.Spec, Mount: "/api"})
	require.NoError(t, err)
	n := &network{provider: provider, api: api, t: t}
	issuer, err := url.Parse(provider.Issuer)
	require.NoError(t, err)
	through := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(issuer) },
		ModifyResponse: n.note,
	}
	mux := http.NewServeMux()
	mux.Handle("/token", through)
	mux.HandleFunc("/token/revocation", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		form, err := url.ParseQuery(string(body))
		assert.NoError(t, err)
		n.mu.Lock()
		n.ended = append(n.ended, form.Get("token"))
		n.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		through.ServeHTTP(w, r)
	})
	mux.Handle("/api/", http.StripPrefix("/api", http.HandlerFunc(n.call)))
	n.server = httptest.NewServer(mux)
	t.Cleanup(n.server.Close)
	return n
}

// settings leads a program to the network.
func (n *network) settings(t *testing.T) map[string]string {
	t.Helper()
	settings := n.provider.Settings("pronet")
	settings["PRONET_API_URL"], settings["PRONET_ROUTES"] = n.server.URL+"/api", string(sim.Spec)
	settings["PRONET_TOKEN_URL"], settings["PRONET_REVOKE_URL"] = n.server.URL+"/token", n.server.URL+"/token/revocation"
	return settings
}

// note remembers the tokens of an answer of the provider's.
func (n *network) note(answer *http.Response) error {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	var tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if json.Unmarshal(body, &tokens) == nil && tokens.Access != "" {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.access, n.refresh = tokens.Access, tokens.Refresh
	}
	return nil
}

// given returns the tokens that were given last.
func (n *network) given() (access, refresh string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.access, n.refresh
}

// revoked reports whether the program has revoked a token at the provider.
func (n *network) revoked(token string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Contains(n.ended, token)
}

// call answers a call of the API, if the provider knows the token that comes with it.
func (n *network) call(w http.ResponseWriter, r *http.Request) {
	ask, err := http.NewRequestWithContext(r.Context(), http.MethodGet, n.provider.Issuer+"/me", http.NoBody)
	assert.NoError(n.t, err)
	ask.Header.Set("Authorization", r.Header.Get("Authorization"))
	answer, err := n.server.Client().Do(ask)
	if !assert.NoError(n.t, err) {
		return
	}
	who, err := io.ReadAll(answer.Body)
	assert.NoError(n.t, err)
	assert.NoError(n.t, answer.Body.Close())
	if assert.Equal(n.t, http.StatusOK, answer.StatusCode) && assert.Contains(n.t, string(who), `"ada"`) {
		access, _ := n.api.Login() // what the simulator calls who has this token
		r.Header.Set("Authorization", "Bearer "+access)
	}
	n.api.ServeHTTP(w, r)
}

// A login can be given up while the browser is open. Nothing listens for the browser
// then, and nothing is kept.
func TestCancelsALogin(t *testing.T) {
	d := newDesktop(t)
	api, err := sim.NewPronet(sim.Config{Profile: sim.Spec})
	require.NoError(t, err)
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	settings := api.Settings(server.URL)
	maps.DeleteFunc(settings, func(name, _ string) bool {
		return strings.HasPrefix(name, "PRONET_MAIN") || strings.HasPrefix(name, "PRONET_COMPANY")
	})
	d.Setenvs(settings)
	opened := idleBrowser(t, d)
	bus := d.Keyring()
	p := d.Open()
	d.Move(d.Size().Div(2))
	d.Settled()

	beginLogin(d)
	d.Await("that it waits", func(s *xtest.Screen) bool { return s.Count(accountList(), colorRunning) > 40 })
	d.Picture("account-waiting")
	address := awaitText(t, opened)
	d.Settled() // the dialog waits on a page without a focused control
	d.Key("Tab", "Tab", "space")
	d.Await("the list", func(s *xtest.Screen) bool { return s.Count(connectButton(), colorAccent) > 1000 })
	require.ErrorContains(t, visit(address), "connection refused", "nobody hears that the user consents after all")
	require.Empty(t, keptToken(t, d, bus))
	require.Zero(t, p.Stop(), p.Log())
}

// idleBrowser is a browser that opens an address and stays open. It writes the address into
// the file returned.
func idleBrowser(t *testing.T, d *xtest.Desktop) (opened string) {
	t.Helper()
	opened = filepath.Join(t.TempDir(), "opened")
	bin := t.TempDir()
	text := "#!/bin/sh\necho \"$1\" > " + opened + "\nexec sleep 1000\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(text), 0o700)) // a program
	d.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return opened
}

// awaitText waits until a file has a line, and returns it.
func awaitText(t *testing.T, path string) string {
	t.Helper()
	var text []byte
	require.Eventually(t, func() bool {
		text, _ = os.ReadFile(path)
		return bytes.HasSuffix(text, []byte("\n"))
	}, patience, 20*time.Millisecond, path)
	return strings.TrimSpace(string(text))
}

// Without a keyring the window says where accounts are kept instead.
func TestWithoutAKeyring(t *testing.T) {
	d := newDesktop(t)
	p := d.Open()
	d.Move(d.Size().Div(2))
	d.Settled()
	command(d, "Accounts")
	d.Await("a warning", func(s *xtest.Screen) bool { return covered(s) && s.Count(storageLine(), colorRunning) > 10 })
	d.Picture("account-no-keyring")
	require.Zero(t, p.Stop(), p.Log())
}
