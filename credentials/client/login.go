package client

import (
	"context"
	"errors"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
)

// Exchange is a server that logs accounts in and stores them, for computers without a
// keyring. It never returns a token. The program implements it with its HTTP client.
type Exchange interface {
	// BeginLogin is POST /auth/{network}/login.
	BeginLogin(ctx context.Context, ref credentials.Ref) (credentials.Login, error)
	// LoginDone is GET /auth/{network}/logins/{loginId}: false while the login is
	// under way, and an error when it has failed.
	LoginDone(ctx context.Context, network, loginID string) (bool, error)
	// List is GET /credentials.
	List(ctx context.Context) ([]credentials.Info, error)
	// Set is PUT /credentials/{ref}.
	Set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error
	// Delete is DELETE /credentials/{ref}.
	Delete(ctx context.Context, ref credentials.Ref) error
}

// Login connects the account of ref and replaces its credential. It uses the user's
// browser, or, without a keyring, the server if there is one. clients are not needed for
// the server. Errors are those of [oauth.Clients.Client], [oauth.Loopback.Login],
// SetCredential and the [Exchange].
func (p *Provider) Login(ctx context.Context, ref credentials.Ref, clients oauth.Clients, browser oauth.Loopback) error {
	if p.Status().Storage == OnServer {
		return p.serverLogin(ctx, ref, browser)
	}
	client, err := clients.Client(ref.Network())
	if err != nil {
		return err
	}
	c, err := browser.Login(ctx, client)
	if err != nil {
		return err
	}
	return p.SetCredential(ctx, ref, c)
}

// Keep stores a credential that the user has entered: in the keyring, or, without one, on
// the server or in memory.
func (p *Provider) Keep(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	if p.Status().Storage == OnServer {
		return p.exchange.Set(ctx, ref, c)
	}
	return p.SetCredential(ctx, ref, c)
}

// serverLogin waits until the user has logged in on the server.
func (p *Provider) serverLogin(ctx context.Context, ref credentials.Ref, browser oauth.Loopback) error {
	login, err := p.exchange.BeginLogin(ctx, ref)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadlineCause(ctx, login.ExpiresAt, oauth.ErrTimeout)
	defer cancel()
	return browser.Watch(ctx, login.AuthorizeURL, func(ctx context.Context) (bool, error) {
		done, err := p.exchange.LoginDone(ctx, ref.Network(), login.LoginID)
		if errors.Is(err, credentials.ErrUnavailable) {
			return false, nil // it may be available again in a second
		}
		return done, err
	})
}
