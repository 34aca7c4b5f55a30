package main

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/oauth"
	"github.com/svcflow/svc/httpapi/client"
)

type loginCmd struct {
	Ref       string        `arg:"" name:"ref" help:"Network and account, such as pronet:main."`
	NoBrowser bool          `help:"Open no browser, only print the address."`
	Timeout   time.Duration `default:"5m" placeholder:"TIME" help:"How long to wait for you."`
	outputFlag
	targetFlags
}

// Help implements kong.HelpProvider.
func (c *loginCmd) Help() string {
	return `Opens the network in your browser and stores the credential in DIR/credentials.env, or in the vault that the environment names. First register this installation at the network and set PRONET_CLIENT_ID; docs/credentials.md lists the other variables.

With --server, the server logs in and keeps the credential. It needs --public-url, and the address URL/auth/NETWORK/callback registered at the network.

Examples:

    svc credentials login pronet:main --data ./data
    svc credentials login microblog:bot --server https://svc.example.org`
}

// Run connects the account.
func (c *loginCmd) Run(ctx context.Context, h *host) error {
	ref, err := parseRef(c.Ref)
	if err != nil {
		return err
	}
	browser := oauth.Loopback{Timeout: c.Timeout, ShowURL: func(address string) {
		h.errorf("log in at the network: %s", address)
	}}
	if !c.NoBrowser {
		browser.Open = oauth.SystemBrowser(h.stderr)
	}
	remote, err := c.remote(h)
	switch {
	case err != nil:
		return err
	case remote != nil:
		err = c.loginOnServer(ctx, remote, ref, browser)
	default:
		err = c.loginHere(ctx, h, ref, browser)
	}
	if err != nil {
		return err
	}
	return c.answer(h, connected{ref}, "connected "+string(ref)+"\n")
}

func (c *loginCmd) loginHere(ctx context.Context, h *host, ref credentials.Ref, browser oauth.Loopback) error {
	s, err := h.sources(c.dir())
	if err != nil {
		return err
	}
	if err := s.check(ref); err != nil {
		return err
	}
	if err := s.CheckWritable(ctx, ref); err != nil {
		return err
	}
	network, err := s.clients.Client(ref.Network())
	if err != nil {
		return err
	}
	credential, err := browser.Login(ctx, network)
	if err != nil {
		return err
	}
	return s.SetCredential(ctx, ref, credential)
}

// loginOnServer waits until the user has logged in by way of the server.
func (c *loginCmd) loginOnServer(ctx context.Context, remote *client.Client, ref credentials.Ref, browser oauth.Loopback) error {
	login, err := remote.BeginLogin(ctx, ref)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout, oauth.ErrTimeout)
	defer cancel()
	return browser.Watch(ctx, login.AuthorizeURL, func(ctx context.Context) (bool, error) {
		outcome, err := remote.LoginOutcome(ctx, ref.Network(), login.LoginID)
		switch {
		case errors.Is(err, client.ErrUnreachable):
			return false, nil // it may be back in a second
		case outcome.State == credentials.LoginFailed:
			return false, &client.Error{Code: outcome.Code, Detail: outcome.Detail}
		}
		return outcome.State == credentials.LoginComplete, err
	})
}
