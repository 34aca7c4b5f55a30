// Package service is what the plugins of networks share. It turns the credential
// reference of a node into its secret, in one place, so that every plugin hides
// secrets and words failures alike.
//
// The package talks to no network and holds no source of secrets.
package service

import (
	"context"
	"errors"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// CodeUnknownCredential is the code of a failure for want of a credential: the
// reference is well formed, but nobody has stored a secret under it.
const CodeUnknownCredential = "unknown_credential"

// Resolver finds the secrets that nodes ask for while they run. The zero
// Resolver knows none. It is safe for concurrent use.
type Resolver struct {
	// Provider is the source of credentials; nil means that none is set up.
	Provider credentials.Provider
}

// Resolve returns the credential of ref and conceals it in the run of ctx. That
// ref is of the right network was seen to by the port it came through. Its
// error is ctx's, or a [node.Error] with one of the codes
//
//	unknown_credential  nothing, or an empty secret, is stored under it
//	reauthorize         the account has to be connected again
//	unavailable         the source cannot be asked now; worth another attempt
//	failed              the source failed in another way
func (r Resolver) Resolve(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	if r.Provider == nil {
		return credentials.Credential{}, unknown(ref)
	}
	c, err := r.Provider.Credential(ctx, ref)
	if err != nil {
		return credentials.Credential{}, failure(ctx, ref, err)
	}
	if c.Access.IsZero() {
		return credentials.Credential{}, unknown(ref)
	}
	for _, secret := range []credentials.Secret{c.Access, c.Refresh} {
		if !secret.IsZero() {
			node.Conceal(ctx, secret.Reveal())
		}
	}
	return c, nil
}

func unknown(ref credentials.Ref) error {
	err := node.Errorf(CodeUnknownCredential, "there is no credential %q; set %s or connect the account", ref, credentials.EnvVar(ref))
	err.Permanent = true
	return err
}

// failure words what a provider answered instead of a credential.
func failure(ctx context.Context, ref credentials.Ref, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, credentials.ErrNotFound):
		return unknown(ref)
	case errors.Is(err, credentials.ErrReauthorize):
		return &node.Error{
			Code: node.CodeReauthorize, Permanent: true, Err: err,
			Message: `the credential "` + string(ref) + `" is no longer valid; connect the account again`,
		}
	case errors.Is(err, credentials.ErrUnavailable):
		return node.Errorf(node.CodeUnavailable, "credential %q: %w", ref, err)
	}
	return node.Errorf(node.CodeFailed, "credential %q: %w", ref, err)
}
