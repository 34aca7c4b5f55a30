package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/value"
)

// BeginLogin starts a login for the account of ref. The user opens the returned address in a
// browser; [Client.LoginOutcome] reports when the login is complete.
func (c *Client) BeginLogin(ctx context.Context, ref credentials.Ref) (credentials.Login, error) {
	body := append([]byte(`{"account":`), value.AppendText(nil, ref.Account())...)
	var login credentials.Login
	err := c.post(ctx, networkPath(ref.Network())+"/login", append(body, '}'), &login)
	return login, err
}

// LoginOutcome returns the outcome of a login at a network.
func (c *Client) LoginOutcome(ctx context.Context, network, loginID string) (credentials.LoginOutcome, error) {
	var outcome credentials.LoginOutcome
	err := c.get(ctx, networkPath(network)+"/logins/"+url.PathEscape(loginID), &outcome)
	return outcome, err
}

func networkPath(network string) string { return "/auth/" + url.PathEscape(network) }

// Credentials describes the credentials of the server, sorted by reference.
func (c *Client) Credentials(ctx context.Context) ([]credentials.Status, error) {
	var list []credentials.Status
	err := c.get(ctx, "/credentials", &list)
	return list, err
}

// Networks describes the networks that the server supports, sorted by name.
func (c *Client) Networks(ctx context.Context) ([]credentials.Network, error) {
	var list []credentials.Network
	err := c.get(ctx, "/credentials/networks", &list)
	return list, err
}

// SetCredential stores a credential on the server.
func (c *Client) SetCredential(ctx context.Context, ref credentials.Ref, credential credentials.Credential) error {
	fields, err := credential.Fields()
	if err != nil {
		return err
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	return c.call(ctx, http.MethodPut, credentialPath(ref), nil, text, nil)
}

// TestCredential returns an error if nodes could not use a credential of the server.
func (c *Client) TestCredential(ctx context.Context, ref credentials.Ref) error {
	return c.call(ctx, http.MethodPost, credentialPath(ref)+"/test", nil, nil, nil)
}

func credentialPath(ref credentials.Ref) string {
	return "/credentials/" + url.PathEscape(string(ref))
}

// DeleteCredential deletes a credential of the server. It is no error if the credential does not
// exist.
func (c *Client) DeleteCredential(ctx context.Context, ref credentials.Ref) error {
	return c.call(ctx, http.MethodDelete, credentialPath(ref), nil, nil, nil)
}
