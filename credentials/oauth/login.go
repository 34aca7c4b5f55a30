package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"net/url"
	"sync/atomic"

	"golang.org/x/oauth2"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// Login is one attempt of a user to connect an account. Make one with [Client.Begin],
// open its address in a browser, and pass the query that comes back to [Login.Finish].
// It needs no cleanup.
type Login struct {
	authorizeURL, state, verifier credentials.Secret
	redirectURL                   string
	client                        *Client
	used                          atomic.Bool
}

// Begin starts a login that ends at redirectURL, which must be registered at the
// network.
func (c *Client) Begin(redirectURL string) *Login {
	l := &Login{state: credentials.NewSecret(rand.Text()), redirectURL: redirectURL, client: c}
	var options []oauth2.AuthCodeOption
	for name, text := range c.entry.AuthorizeParams {
		options = append(options, oauth2.SetAuthURLParam(name, text))
	}
	if c.PKCE != network.PKCENever {
		verifier := oauth2.GenerateVerifier()
		l.verifier = credentials.NewSecret(verifier)
		options = append(options, oauth2.S256ChallengeOption(verifier))
	}
	l.authorizeURL = credentials.NewSecret(c.loginConfig(redirectURL).AuthCodeURL(l.state.Reveal(), options...))
	return l
}

// goOn restores a login that another process may have begun.
func (c *Client) goOn(u *underWay) *Login {
	l := &Login{state: credentials.NewSecret(u.State), redirectURL: u.Redirect, client: c}
	if u.Verifier != "" {
		l.verifier = credentials.NewSecret(u.Verifier)
	}
	return l
}

// AuthorizeURL is the address that the user opens in a browser. Show it to nobody else:
// another person who opens it connects an account of theirs.
func (l *Login) AuthorizeURL() string { return l.authorizeURL.Reveal() }

// State is the value of the parameter "state" that the browser brings back. A server
// finds the login by it. It cannot be guessed.
func (l *Login) State() string { return l.state.Reveal() }

// Finish ends the login with the query that the browser brought to the redirect
// address, and trades it for a credential. Only the first query with the right
// state counts. Errors:
//
//	ErrState                 not this login's, or a second one; the login stays open
//	ErrIssuer                an answer of another network
//	ErrDenied                the user did not consent
//	ErrExpired               the answer came too late
//	ErrRefused               anything else that the network has against it
//	credentials.ErrUnavailable, and ctx's
func (l *Login) Finish(ctx context.Context, query url.Values) (credentials.Credential, error) {
	if !l.matches(query) || !l.used.CompareAndSwap(false, true) {
		return credentials.Credential{}, ErrState
	}
	if err := l.checkIssuer(query); err != nil {
		return credentials.Credential{}, err
	}
	if query.Has("error") {
		return credentials.Credential{}, l.refusal(query.Get("error"))
	}
	code, ok := single(query, "code")
	if !ok {
		return credentials.Credential{}, fmt.Errorf("%w: %s sent no code", ErrRefused, l.client.Network)
	}
	return l.exchange(ctx, code)
}

func (l *Login) exchange(ctx context.Context, code string) (credentials.Credential, error) {
	var options []oauth2.AuthCodeOption
	if !l.verifier.IsZero() {
		options = append(options, oauth2.VerifierOption(l.verifier.Reveal()))
	}
	token, err := l.client.config(l.redirectURL).Exchange(l.client.withHTTP(ctx), code, options...)
	if err != nil {
		return credentials.Credential{}, l.client.failure(ctx, err, ErrExpired)
	}
	return l.client.credential(token, credentials.Credential{})
}

// matches reports whether query answers this login.
func (l *Login) matches(query url.Values) bool {
	state, ok := single(query, "state")
	return ok && subtle.ConstantTimeCompare([]byte(state), []byte(l.state.Reveal())) == 1
}

// checkIssuer refuses the answer of another network than the one that was asked
// (RFC 9207). Where the issuer is not known, one that is named has to live where
// users log in.
func (l *Login) checkIssuer(query url.Values) error {
	issuer, named := single(query, "iss")
	want := l.client.Issuer
	switch {
	case len(query["iss"]) > 1, want != "" && issuer != want:
		return ErrIssuer
	case want == "" && named && origin(issuer) != origin(l.client.AuthURL):
		return fmt.Errorf("%w; if it is the right one, set %s to its name", ErrIssuer, l.client.entry.Variable(network.SettingIssuer))
	}
	return nil
}

// refusal makes an error of the one that a network sends instead of a code (RFC 6749
// section 4.1.2.1).
func (l *Login) refusal(code string) error {
	switch code {
	case "access_denied":
		return fmt.Errorf("%w (%s)", ErrDenied, l.client.Network)
	case "server_error", "temporarily_unavailable":
		return fmt.Errorf("%w: %s cannot log anybody in now; try again later", credentials.ErrUnavailable, l.client.Network)
	}
	return fmt.Errorf("%w: %s did not let anybody log in%s", ErrRefused, l.client.Network, plain(code))
}

// single returns a parameter that must not come twice (RFC 6749 section 3.1).
func single(query url.Values, name string) (text string, ok bool) {
	return query.Get(name), len(query[name]) == 1 && query.Get(name) != ""
}

// origin is where an address lives, and empty for what is no address.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
