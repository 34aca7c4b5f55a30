package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/svcflow/svc/credentials"
)

// fetched is a token that was fetched with the secret of a client. It belongs to these
// credentials, and is kept in memory only, since a new one can be fetched at any time.
type fetched struct {
	with  credentials.ClientCredentials
	token credentials.Credential
}

// withToken puts the token into c that was fetched for it, if there is one.
func (r *Refresher) withToken(ref credentials.Ref, c credentials.Credential) credentials.Credential {
	r.mu.Lock()
	defer r.mu.Unlock()
	if f, ok := r.fetched[ref]; ok && f.with == c.Client {
		c.Access, c.ExpiresAt = f.token.Access, f.token.ExpiresAt
	}
	return c
}

// fetch trades the secret of a client for a token (RFC 6749 section 4.4).
func (r *Refresher) fetch(ctx context.Context, ref credentials.Ref, c credentials.Credential) (credentials.Credential, error) {
	client := &Client{Network: string(ref), Scopes: c.Scopes, transport: r.Transport}
	config := clientcredentials.Config{
		ClientID: c.Client.ID, ClientSecret: c.Client.Secret.Reveal(), TokenURL: c.Client.TokenURL, Scopes: c.Scopes,
		// Some servers know only one of the styles, and trying costs no token.
		AuthStyle: oauth2.AuthStyleAutoDetect,
	}
	token, err := config.Token(client.withHTTP(ctx))
	if answer, ok := errors.AsType[*oauth2.RetrieveError](err); ok && ctx.Err() == nil && answer.Response.StatusCode < http.StatusInternalServerError &&
		answer.Response.StatusCode != http.StatusTooManyRequests {
		return credentials.Credential{}, fmt.Errorf("%w: the token address of %s answered with status %d%s; check its client_id, client_secret and scopes",
			ErrRefused, ref, answer.Response.StatusCode, plain(answer.ErrorCode))
	}
	if err != nil {
		return credentials.Credential{}, client.failure(ctx, err, ErrRefused)
	}
	got, err := client.credential(token, credentials.Credential{})
	if err != nil {
		return credentials.Credential{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fetched[ref] = fetched{c.Client, got}
	c.Access, c.ExpiresAt = got.Access, got.ExpiresAt
	return c, nil
}
