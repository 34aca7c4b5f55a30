package oauth

import (
	"context"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// Client is the OAuth client of this installation at one network. Get one from
// [Clients.Client]. It is safe for concurrent use and must not be changed.
type Client struct {
	Network      string
	ClientID     string
	ClientSecret credentials.Secret // zero for a public client
	// The addresses of the network; see [network.Network]. RevokeURL and Issuer may be
	// empty.
	AuthURL, TokenURL, RevokeURL, Issuer string

	Scopes    []string // requested by logins
	PKCE      network.PKCE
	AuthStyle network.AuthStyle // for a client with a secret
	// RedirectPorts are the ports that [Loopback] tries in order; none: any free port.
	RedirectPorts []int

	entry     network.Network   // the entry in the table of networks
	transport http.RoundTripper // nil: http.DefaultTransport
}

// requestTimeout bounds one request to a network. It is far less than the time for which
// a lock may be held, so that no lock expires during a request.
const requestTimeout = 10 * time.Second

// config converts the client to the library's type.
func (c *Client) config(redirectURL string) *oauth2.Config {
	// Not AuthStyleAutoDetect: it repeats a failed request in another style, and a refresh
	// token that comes twice ends the login.
	style := oauth2.AuthStyleInParams
	if c.basic() {
		style = oauth2.AuthStyleInHeader
	}
	return &oauth2.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret.Reveal(), RedirectURL: redirectURL, Scopes: c.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: c.AuthURL, TokenURL: c.TokenURL, AuthStyle: style},
	}
}

// loginConfig is config for the authorization URL, in which some networks separate scopes
// differently.
func (c *Client) loginConfig(redirectURL string) *oauth2.Config {
	config := c.config(redirectURL)
	if len(c.Scopes) > 0 && c.entry.ScopeSeparator != "" {
		config.Scopes = []string{strings.Join(c.Scopes, c.entry.ScopeSeparator)}
	}
	return config
}

// basic reports whether requests carry the secret in their header. A client without a
// secret sends its id in the form.
func (c *Client) basic() bool {
	return c.AuthStyle == network.AuthBasic && !c.ClientSecret.IsZero()
}

// http returns the client for requests with secrets. It follows no redirect.
func (c *Client) http() *http.Client {
	return &http.Client{
		Transport:     bounded{c.transport},
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// withHTTP makes the library use the client's own transport.
func (c *Client) withHTTP(ctx context.Context) context.Context {
	client := c.http()
	client.Transport = tolerant{client.Transport}
	return context.WithValue(ctx, oauth2.HTTPClient, client)
}

// Refresh exchanges the refresh token of old for a new credential, which replaces old. Most
// networks accept a refresh token only once, so store the new credential before its access
// token is used. Nodes leave this to a [Refresher].
//
// Errors are [credentials.ErrReauthorize] if there is no refresh token or the network
// rejects it, [credentials.ErrUnavailable], [ErrRefused], and ctx's.
func (c *Client) Refresh(ctx context.Context, old credentials.Credential) (credentials.Credential, error) {
	if old.Refresh.IsZero() {
		return credentials.Credential{}, reauthorize(c.Network)
	}
	source := c.config("").TokenSource(c.withHTTP(ctx), &oauth2.Token{RefreshToken: old.Refresh.Reveal()})
	token, err := source.Token()
	if err != nil {
		return credentials.Credential{}, c.failure(ctx, err, reauthorize(c.Network))
	}
	return c.credential(token, old)
}
