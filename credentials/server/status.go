package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
)

// State says whether a credential works, as far as its source can tell. The
// network may know more: it can end a login at any time.
type State string

// The states of a credential.
const (
	StateValid       State = "valid"       // it works, and is renewed in time if it has to be
	StateExpiring    State = "expiring"    // it works, but ends within a week and cannot be renewed
	StateExpired     State = "expired"     // it has ended; its next use renews it
	StateReauthorize State = "reauthorize" // it has ended and cannot be renewed: connect the account again
	StateMalformed   State = "malformed"   // what is stored is not a credential
	StateUnavailable State = "unavailable" // its source names it and cannot give it
)

// expiringSoon is how long before its end a credential that nothing renews is
// called expiring: time enough for a person to connect the account again.
const expiringSoon = 7 * 24 * time.Hour

// Status describes a credential to people. It holds no secret, and is what the
// API shows.
type Status struct {
	Ref       credentials.Ref `json:"ref"`
	Network   string          `json:"network"`
	Account   string          `json:"account"`
	Source    string          `json:"source"` // "environment", "file" or "vault"
	Scopes    []string        `json:"scopes,omitempty"`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
	State     State           `json:"state"`
	// Note is something that whoever set it up should know, in a sentence; empty if
	// there is nothing.
	Note string `json:"note,omitempty"`
}

// Statuses describes all credentials as they are at the time now, sorted by
// reference. It fails if a source cannot say what it holds.
func (p *Provider) Statuses(ctx context.Context, now time.Time) ([]Status, error) {
	infos, err := p.List(ctx)
	if err != nil {
		return nil, err
	}
	statuses := make([]Status, 0, len(infos))
	for _, info := range infos {
		c, err := p.Credential(ctx, info.Ref)
		if errors.Is(err, credentials.ErrNotFound) {
			continue // deleted since List
		}
		statuses = append(statuses, Status{
			Ref: info.Ref, Network: info.Ref.Network(), Account: info.Ref.Account(), Source: info.Source,
			Scopes: info.Scopes, ExpiresAt: info.ExpiresAt, State: state(c, err, now),
		})
	}
	noteShared(statuses)
	return statuses, ctx.Err()
}

// noteShared says of accounts that they share a variable, if that holds the credential
// of one of them: the others get it, too.
func noteShared(statuses []Status) {
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

func state(c credentials.Credential, err error, now time.Time) State {
	renewable := !c.Refresh.IsZero()
	switch {
	case errors.Is(err, credentials.ErrMalformed):
		return StateMalformed
	case err != nil:
		return StateUnavailable
	case c.ExpiresAt.IsZero():
		return StateValid
	case !now.Before(c.ExpiresAt) && renewable:
		return StateExpired
	case !now.Before(c.ExpiresAt):
		return StateReauthorize
	case !renewable && c.ExpiresAt.Sub(now) <= expiringSoon:
		return StateExpiring
	}
	return StateValid
}
