package oauth

import (
	"context"
	"fmt"
	"net/http"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// Test checks whether a node could use the credential of ref. It renews the credential or
// exchanges it for a token if needed, and asks the network, if that has an address for
// it. Errors are those of [Refresher.Credential].
func (r *Refresher) Test(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c, err := r.Credential(ctx, ref)
	if err != nil {
		return credentials.Credential{}, err
	}
	n, _ := r.clients.networks.Lookup(ref.Network())
	if err := c.CheckFor(n); err != nil {
		return credentials.Credential{}, fmt.Errorf("%w: %w", credentials.ErrMalformed, err)
	}
	if n.ProfileURL == "" || !isToken(c.Kind) {
		return c, nil
	}
	taken, err := r.asks(ctx, n, c)
	if err != nil || taken {
		return c, err
	}
	if c, err = r.Refresh(ctx, ref, c.Access); err != nil {
		return credentials.Credential{}, err
	}
	if taken, err = r.asks(ctx, n, c); err == nil && !taken {
		err = fmt.Errorf("%w (%s refuses it)", credentials.ErrReauthorize, n.Name)
	}
	return c, err
}

// isToken reports whether a credential is a token from a login.
func isToken(kind credentials.Kind) bool {
	return kind == "" || kind == credentials.KindOAuth || kind == credentials.KindBearer
}

// asks reports whether the network accepts a token. Only status 401 means that it does
// not: other refusals are about what the account may do.
func (r *Refresher) asks(ctx context.Context, n network.Network, c credentials.Credential) (bool, error) {
	client := &Client{Network: n.Name, transport: r.clients.transport}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, n.ProfileURL, nil)
	if err != nil {
		return false, ErrNotConfigured
	}
	if len(c.Hosts) > 0 && !network.MayGet(c.Hosts, request.URL) {
		return true, nil // it belongs to another installation of the service
	}
	request.Header.Set("Authorization", "Bearer "+c.Access.Reveal())
	answer, err := client.http().Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return false, client.unanswered(err)
	}
	defer func() { _ = answer.Body.Close() }() // its status says everything
	if answer.StatusCode >= http.StatusInternalServerError {
		return false, fmt.Errorf("%w: %s answered with status %d; try again later", credentials.ErrUnavailable, n.Name, answer.StatusCode)
	}
	return answer.StatusCode != http.StatusUnauthorized, nil
}
