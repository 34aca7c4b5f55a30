package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// expiringSoon is how long before its expiry a credential that cannot be renewed has the
// state expiring. It gives a person time to connect the account again.
const expiringSoon = 7 * 24 * time.Hour

// Statuses returns the status of all credentials at the time now, sorted by reference. It
// fails if a source cannot be listed.
func (p *Provider) Statuses(ctx context.Context, now time.Time) ([]credentials.Status, error) {
	infos, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	statuses := make([]credentials.Status, 0, len(infos))
	for _, info := range infos {
		c, err := p.Credential(ctx, info.Ref)
		if errors.Is(err, credentials.ErrNotFound) {
			continue // deleted after List
		}
		status := info.Status(state(c, err, now))
		status.Kind, status.Hosts = c.Kind, c.Hosts
		statuses = append(statuses, status)
	}
	noteShared(statuses)
	return statuses, ctx.Err()
}

// noteShared adds a note to accounts that share a variable with a credential, since each
// account then gets this credential.
func noteShared(statuses []credentials.Status) {
	refs := make([]credentials.Ref, len(statuses))
	inVariable := map[string]bool{}
	for i := range statuses {
		refs[i] = statuses[i].Ref
		if s := statuses[i].Source; s == "environment" || s == "file" {
			inVariable[network.Variable(refs[i])] = true
		}
	}
	for i, ref := range refs {
		if other := network.Shared(ref, refs); other != "" && inVariable[network.Variable(ref)] {
			statuses[i].Note = fmt.Sprintf("%s and %s share the variable %s, so one gets the secret of the other; call one of the accounts by another name",
				ref, other, network.Variable(ref))
		}
	}
}

func state(c credentials.Credential, err error, now time.Time) credentials.State {
	renewable := !c.Refresh.IsZero()
	switch {
	case errors.Is(err, credentials.ErrMalformed):
		return credentials.StateMalformed
	case err != nil:
		return credentials.StateUnavailable
	case c.ExpiresAt.IsZero():
		return credentials.StateValid
	case !now.Before(c.ExpiresAt) && renewable:
		return credentials.StateExpired
	case !now.Before(c.ExpiresAt):
		return credentials.StateReauthorize
	case !renewable && c.ExpiresAt.Sub(now) <= expiringSoon:
		return credentials.StateExpiring
	}
	return credentials.StateValid
}
