package service

import (
	"context"
	"errors"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/engine/node"
)

// CodeUnknownCredential means that a credential's reference is valid, but no secret is
// stored for it.
const CodeUnknownCredential = "unknown_credential"

// Resolver finds the secrets that nodes need while they run. The zero Resolver knows none.
// It is safe for concurrent use.
type Resolver struct {
	// Provider is the source of credentials; if nil, no credential is found.
	Provider credentials.Provider
}

// Renewer is an optional interface of a provider. It replaces a credential whose access
// token a network has rejected. The refresher of package oauth implements it.
type Renewer interface {
	Refresh(ctx context.Context, ref credentials.Ref, rejected credentials.Secret) (credentials.Credential, error)
}

// Resolve returns the credential of ref and conceals it in the run of ctx. It does not
// check the network of ref; the port that ref came through has done so. Its error is
// ctx's, or a [node.Error] with one of the codes
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
	return accepted(ctx, ref, c, err)
}

// Renew returns another credential of ref, after the network has rejected the access token
// with the status 401. If the provider is not a [Renewer], it may still hold a newer
// credential; if it does not, the error has the code reauthorize. Other errors are those of
// [Resolver.Resolve]. Call Renew at most once for each request.
func (r Resolver) Renew(ctx context.Context, ref credentials.Ref, rejected credentials.Secret) (credentials.Credential, error) {
	renewer, ok := r.Provider.(Renewer)
	if !ok {
		c, err := r.Resolve(ctx, ref)
		if err == nil && c.Access == rejected {
			err = failure(ctx, ref, credentials.ErrReauthorize)
		}
		return c, err
	}
	c, err := renewer.Refresh(ctx, ref, rejected)
	return accepted(ctx, ref, c, err)
}

// accepted checks a credential from a provider, and conceals it.
func accepted(ctx context.Context, ref credentials.Ref, c credentials.Credential, err error) (credentials.Credential, error) {
	if err != nil {
		return credentials.Credential{}, failure(ctx, ref, err)
	}
	if c.Access.IsZero() && (c.Kind != credentials.KindBasic || c.User == "") {
		return credentials.Credential{}, unknown(ref)
	}
	for _, secret := range c.Secrets() {
		node.Conceal(ctx, secret.Reveal())
	}
	return c, nil
}

func unknown(ref credentials.Ref) error {
	err := node.Errorf(CodeUnknownCredential, "there is no credential %q; set %s or connect the account", ref, network.Variable(ref))
	err.Permanent = true
	return err
}

// failure converts a provider's error to a node error.
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
	case isForbidden(err):
		return node.Permanent(node.Errorf(node.CodeForbidden, "credential %q: %w", ref, err))
	case errors.Is(err, credentials.ErrUnavailable):
		return node.Errorf(node.CodeUnavailable, "credential %q: %w", ref, err)
	}
	return node.Errorf(node.CodeFailed, "credential %q: %w", ref, err)
}

// isForbidden reports whether the network policy forbids the address of a token.
func isForbidden(err error) bool {
	known, ok := errors.AsType[*node.Error](err)
	return ok && known.Code == node.CodeForbidden
}
