package oauth

import (
	"context"
	"errors"
	"fmt"

	"github.com/svcflow/svc/credentials"
)

// Logout deletes the credential of ref, if there is one, from the source, and revokes its
// tokens at the network. [ErrNotRevoked] means that the credential is deleted, but its
// tokens were not revoked. After other errors, which are the source's, nothing has changed.
func (r *Refresher) Logout(ctx context.Context, ref credentials.Ref) error {
	unlock, err := r.lock(ctx, ref) // a concurrent renewal would store it again
	if err != nil {
		return err
	}
	defer unlock()
	c, err := r.read(ctx, ref)
	if err != nil && !errors.Is(err, credentials.ErrNotFound) && !errors.Is(err, credentials.ErrMalformed) {
		return err
	}
	if err := r.source.Delete(ctx, ref); err != nil {
		return err
	}
	r.forget(ref)
	return r.revoke(ctx, ref, c)
}

// revoke revokes the tokens of c. It does nothing for other secrets, such as the password
// of a mailbox.
func (r *Refresher) revoke(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	client, err := r.clients.Client(ref.Network())
	switch {
	case c.Kind != "" && c.Kind != credentials.KindOAuth, c.Access.IsZero() && c.Refresh.IsZero(), errors.Is(err, ErrUnknownNetwork):
		return nil
	case err != nil:
		return fmt.Errorf("%w: %w", ErrNotRevoked, err)
	}
	return client.Revoke(ctx, c)
}
