package client

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// Login is a login that a server has begun for an account.
type Login struct {
	AuthorizeURL string    `json:"authorizeUrl"` // to open in the user's browser
	LoginID      string    `json:"loginId"`
	ExpiresAt    time.Time `json:"expiresAt"`
}

// LoginOutcome is what became of a login.
type LoginOutcome struct {
	State string           `json:"state"` // "pending", "complete" or "failed"
	Ref   value.Credential `json:"ref"`
	// Code and Detail say why it failed.
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// Credential describes a credential of a server, without its secret.
type Credential struct {
	Ref       value.Credential `json:"ref"`
	Network   string           `json:"network"`
	Account   string           `json:"account"`
	Source    string           `json:"source"` // "environment", "file" or "vault"
	Scopes    []string         `json:"scopes,omitempty"`
	ExpiresAt time.Time        `json:"expiresAt,omitzero"`
	State     string           `json:"state"` // "valid", "expiring", "expired", "reauthorize", "malformed" or "unavailable"
	// Note is something that whoever set it up should know; empty if there is nothing.
	Note string `json:"note,omitempty"`
}

// BeginLogin begins to connect the account of ref to the server. The user opens
// the address it returns in a browser; [Client.LoginOutcome] tells when that is
// done.
func (c *Client) BeginLogin(ctx context.Context, ref value.Credential) (Login, error) {
	body := append([]byte(`{"account":`), value.AppendText(nil, ref.Account())...)
	var login Login
	err := c.post(ctx, networkPath(ref.Network())+"/login", append(body, '}'), &login)
	return login, err
}

// LoginOutcome tells what became of a login at a network.
func (c *Client) LoginOutcome(ctx context.Context, network, loginID string) (LoginOutcome, error) {
	var outcome LoginOutcome
	err := c.get(ctx, networkPath(network)+"/logins/"+url.PathEscape(loginID), &outcome)
	return outcome, err
}

func networkPath(network string) string { return "/auth/" + url.PathEscape(network) }

// Credentials describes the credentials of the server, sorted by reference.
func (c *Client) Credentials(ctx context.Context) ([]Credential, error) {
	var list []Credential
	err := c.get(ctx, "/credentials", &list)
	return list, err
}

// DeleteCredential disconnects an account from the server. One that is not there
// is no error.
func (c *Client) DeleteCredential(ctx context.Context, ref value.Credential) error {
	return c.call(ctx, http.MethodDelete, "/credentials/"+url.PathEscape(string(ref)), nil, nil, nil)
}
