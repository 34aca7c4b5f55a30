package oauth_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/credentials/oauth/oauthtest"
)

// A server keeps the login until the browser comes back with its state.
func Example_server() {
	network := &oauthtest.Network{} // simulates pronet
	clients := oauth.NewClients(networks(), getenv(network.Settings("pronet", "http://localhost")), network)
	var source credentials.Memory // instead of a vault

	// POST /auth/pronet/login
	client, err := clients.Client("pronet")
	if err != nil {
		fmt.Println(err, oauth.Code(err)) // names the variables to set
		return
	}
	login := client.Begin("https://svc.example/auth/pronet/callback")
	pending := map[string]*oauth.Login{login.State(): login}

	// GET /auth/pronet/callback
	query := consent(network, login.AuthorizeURL())
	found, ok := pending[query.Get("state")]
	if !ok {
		fmt.Println(oauth.ErrState)
		return
	}
	credential, err := found.Finish(context.Background(), query)
	if err == nil {
		err = source.SetCredential(context.Background(), "pronet:main", credential)
	}
	fmt.Println("connected:", err == nil, credential.Scopes)

	// Nodes ask the refresher, and so never see an expired token.
	refresher := oauth.NewRefresher(&source, clients, slog.Default())
	defer refresher.Wait()
	valid, err := refresher.Credential(context.Background(), "pronet:main")
	fmt.Println(valid.Access, err)

	// DELETE /credentials/pronet:main
	fmt.Println(refresher.Logout(context.Background(), "pronet:main"))
	// Output:
	// connected: true [a b]
	// [redacted] <nil>
	// <nil>
}

// A program on the user's computer opens their browser.
func ExampleLoopback() {
	clients := oauth.NewClients(networks(), os.Getenv, nil)
	client, err := clients.Client("pronet")
	if err != nil {
		fmt.Println(err)
		return
	}
	login := oauth.Loopback{
		Open:    oauth.SystemBrowser(os.Stderr),
		ShowURL: func(address string) { fmt.Fprintln(os.Stderr, "If no browser comes up, open", address) },
	}
	credential, err := login.Login(context.Background(), client)
	fmt.Println(credential.Scopes, oauth.Code(err))
}

// consent simulates a browser and its user.
func consent(network *oauthtest.Network, address string) url.Values {
	request, _ := http.NewRequestWithContext(context.Background(), http.MethodGet, address, nil)
	request.Host = request.URL.Host
	answer, _ := network.RoundTrip(request)
	defer answer.Body.Close()
	back, _ := answer.Location()
	return back.Query()
}
