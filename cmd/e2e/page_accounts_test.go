//go:build e2e && linux

package e2e_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// TestPageAccounts sets a key for an API, tests it and forgets it.
func TestPageAccounts(t *testing.T) {
	server := launch(t, start{})
	b := browse(t, 1280, 900)
	b.dark(false)
	b.do(chromedp.Navigate(server.url + "/"))
	b.do(chromedp.SendKeys(chromedp.CSS("#key"), binaryKey+"\r"))
	b.see("h1", "No workflows yet")
	b.do(chromedp.Click(chromedp.CSS(`a[href="#/accounts"]`)))
	b.see("h1", "No accounts yet")
	b.do(chromedp.SendKeys(chromedp.CSS("#account-ref"), "http:crm"))
	require.True(t, evaluate[bool](b, `(() => {
		const kind = document.getElementById('account-kind');
		kind.value = 'basic';
		return kind.dispatchEvent(new Event('change'));
	})()`))
	b.do(chromedp.SendKeys(chromedp.CSS("#account-username"), "ann"), chromedp.SendKeys(chromedp.CSS("#account-password"), "canary"))
	b.do(chromedp.SendKeys(chromedp.CSS("#account-hosts"), "crm.example"), chromedp.Click(chromedp.CSS("form .main")))
	b.see("td", "http:crm")
	b.see("td", "basic crm.example")
	b.clean()
	b.picture("accounts")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Test"]`)))
	b.see("td", "It works.")
	require.NotContains(t, evaluate[string](b, `document.documentElement.outerHTML`), "canary")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Forget"]`)))
	b.see("h1", "No accounts yet")
	b.blameless(server.url)
}

// TestPageLogin connects an account at a network in a new tab, and says before what
// is missing.
func TestPageLogin(t *testing.T) {
	unset := launch(t, start{})
	b := browse(t, 1280, 900)
	b.enter(unset.url)
	b.visit("#/accounts")
	b.see("td", "set GITHUB_CLIENT_ID")

	upstream := http.NewServeMux()
	upstream.HandleFunc("GET /authorize", func(w http.ResponseWriter, r *http.Request) {
		back, _ := url.Parse(r.FormValue("redirect_uri"))
		back.RawQuery = url.Values{"code": {"one-time"}, "state": {r.FormValue("state")}}.Encode()
		http.Redirect(w, r, back.String(), http.StatusFound)
	})
	upstream.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"canary-token","token_type":"bearer"}`)
	})
	network := httptest.NewServer(upstream)
	t.Cleanup(network.Close)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := free.Addr().String()
	require.NoError(t, free.Close())
	server := launch(t, start{args: []string{"--addr", addr, "--public-url", "http://" + addr}, env: []string{
		"GITHUB_CLIENT_ID=svc", "GITHUB_CLIENT_SECRET=secret", "GITHUB_AUTH_URL=" + network.URL + "/authorize", "GITHUB_TOKEN_URL=" + network.URL + "/token",
	}})
	b = browse(t, 1280, 900)
	b.dark(false)
	b.enter(server.url)
	b.visit("#/accounts")
	b.see("option", "GitHub")
	b.do(chromedp.Click(chromedp.Search(`//button[text()="Connect"]`)))
	b.see("td .mono", "github:main")
	require.NotContains(t, evaluate[string](b, `document.documentElement.outerHTML`), "canary-token")
	b.blameless(server.url)
}
