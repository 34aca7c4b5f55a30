package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/svcflow/svc/credentials"
)

// Revoke revokes the tokens of old at the network (RFC 7009). It is no error if the network
// does not know them. An error is [ErrNotRevoked] and says why.
func (c *Client) Revoke(ctx context.Context, old credentials.Credential) error {
	if c.RevokeURL == "" {
		return fmt.Errorf("%w (%s has no revocation address)", ErrNotRevoked, c.Network)
	}
	var errs []error
	// The refresh token first: with it most networks end its access tokens too.
	for _, token := range []struct {
		secret credentials.Secret
		hint   string
	}{{old.Refresh, "refresh_token"}, {old.Access, "access_token"}} {
		if !token.secret.IsZero() {
			errs = append(errs, c.revoke(ctx, token.secret, token.hint))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%w: %w", ErrNotRevoked, err)
	}
	return nil
}

func (c *Client) revoke(ctx context.Context, token credentials.Secret, hint string) error {
	form := url.Values{"token": {token.Reveal()}, "token_type_hint": {hint}}
	if !c.basic() {
		form.Set("client_id", c.ClientID)
		if !c.ClientSecret.IsZero() {
			form.Set("client_secret", c.ClientSecret.Reveal())
		}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.RevokeURL, strings.NewReader(form.Encode()))
	if err != nil {
		return ErrNotConfigured
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.basic() {
		request.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.ClientSecret.Reveal()))
	}
	answer, err := c.http().Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.unanswered(err)
	}
	defer func() { _ = answer.Body.Close() }() // its status says everything
	if answer.StatusCode != http.StatusOK && answer.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%w: %s answered with status %d", ErrRefused, c.Network, answer.StatusCode)
	}
	return nil
}
