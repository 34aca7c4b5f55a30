package machine

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/oauth"
	remote "github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/ui/accounts"
)

// exchange is a server that logs accounts in and stores them.
type exchange struct{ server *remote.Client }

var _ client.Exchange = exchange{}

// BeginLogin implements [client.Exchange].
func (e exchange) BeginLogin(ctx context.Context, ref credentials.Ref) (credentials.Login, error) {
	login, err := e.server.BeginLogin(ctx, ref)
	return login, away(err)
}

// LoginDone implements [client.Exchange].
func (e exchange) LoginDone(ctx context.Context, network, loginID string) (bool, error) {
	outcome, err := e.server.LoginOutcome(ctx, network, loginID)
	if err == nil && outcome.State == credentials.LoginFailed {
		err = &remote.Error{Code: outcome.Code, Detail: outcome.Detail}
	}
	return outcome.State == credentials.LoginComplete, away(err)
}

// List implements [client.Exchange].
func (e exchange) List(ctx context.Context) ([]credentials.Info, error) {
	list, err := e.server.Credentials(ctx)
	infos := make([]credentials.Info, 0, len(list))
	for i := range list {
		infos = append(infos, credentials.Info{
			Ref: list[i].Ref, Source: list[i].Source, Scopes: list[i].Scopes, ExpiresAt: list[i].ExpiresAt,
		})
	}
	return infos, away(err)
}

// Set implements [client.Exchange].
func (e exchange) Set(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	return away(e.server.SetCredential(ctx, ref, c))
}

// Delete implements [client.Exchange].
func (e exchange) Delete(ctx context.Context, ref credentials.Ref) error {
	return away(e.server.DeleteCredential(ctx, ref))
}

// away wraps the error of an unreachable server as sources of credentials do.
func away(err error) error {
	if errors.Is(err, remote.ErrUnreachable) {
		return fmt.Errorf("%w: %w", credentials.ErrUnavailable, err)
	}
	return err
}

// remoteAccounts are the accounts of a server.
type remoteAccounts struct {
	exchange

	networks network.Table // those of this computer, until servers list theirs
	openURL  func(address string) error
}

var _ accounts.Source = remoteAccounts{}

// Accounts implements [accounts.Source].
func (r remoteAccounts) Accounts(ctx context.Context) ([]credentials.Status, error) {
	return r.server.Credentials(ctx)
}

// Networks implements [accounts.Source].
func (r remoteAccounts) Networks() []string { return r.networks.Names() }

// Logins implements [accounts.Source].
func (r remoteAccounts) Logins(name string) bool { return logins(r.networks, name) }

// Connect implements [accounts.Source].
func (r remoteAccounts) Connect(ctx context.Context, ref credentials.Ref, show func(address string)) error {
	login, err := r.BeginLogin(ctx, ref)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithDeadlineCause(ctx, login.ExpiresAt, oauth.ErrTimeout)
	defer cancel()
	browser := oauth.Loopback{Open: r.openURL, ShowURL: show}
	return browser.Watch(ctx, login.AuthorizeURL, func(ctx context.Context) (bool, error) {
		done, err := r.LoginDone(ctx, ref.Network(), login.LoginID)
		if errors.Is(err, credentials.ErrUnavailable) {
			return false, nil // it may answer again in a second
		}
		return done, err
	})
}

// Test implements [accounts.Source].
func (r remoteAccounts) Test(ctx context.Context, ref credentials.Ref) error {
	err := r.server.TestCredential(ctx, ref)
	failed, ok := errors.AsType[*remote.Error](err)
	if !ok {
		return away(err)
	}
	switch failed.Code {
	case remote.CodeNotFound:
		return fmt.Errorf("%w on the server: %s", credentials.ErrNotFound, ref)
	case "reauthorize":
		return credentials.ErrReauthorize
	case "malformed_credential":
		return credentials.ErrMalformed
	}
	return err
}

// Disconnect implements [accounts.Source].
func (r remoteAccounts) Disconnect(ctx context.Context, ref credentials.Ref) error {
	return r.server.DeleteCredential(ctx, ref)
}

// Storage implements [accounts.Source].
func (r remoteAccounts) Storage() (text string, fine bool) {
	return "Accounts are kept on the server " + r.server.URL() + ".", true
}

// Retry implements [accounts.Source]: there is no keyring to open.
func (r remoteAccounts) Retry(context.Context) {}
