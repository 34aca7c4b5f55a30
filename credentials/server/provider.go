// Package server finds credentials for a headless server: [Provider] searches its sources
// [Environment], [File] and [Vault] in order. [Open] creates the provider from the
// environment. The package does no logins and renews nothing.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/svcflow/svc/credentials"
)

// Provider is the ServerCredentialProvider of the spec (section 5): sources in
// order of precedence. The first one that holds a reference owns it. A source
// that fails is never passed over, or else an old credential from the next one
// would be used unnoticed.
//
// It implements [credentials.Locker].
type Provider struct {
	sources []credentials.Provider
	local   credentials.Memory // only its locks are used
}

// New returns the provider of sources, the most important one first.
func New(sources ...credentials.Provider) *Provider {
	return &Provider{sources: slices.Clone(sources)}
}

// Credential implements [credentials.Provider].
func (p *Provider) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	_, c, err := p.owner(ctx, ref)
	return c, err
}

// owner returns the source that holds ref, and the credential.
func (p *Provider) owner(ctx context.Context, ref credentials.Ref) (credentials.Provider, credentials.Credential, error) {
	if err := ctx.Err(); err != nil {
		return nil, credentials.Credential{}, err
	}
	for _, source := range p.sources {
		c, err := source.Credential(ctx, ref)
		if !errors.Is(err, credentials.ErrNotFound) {
			return source, c, err
		}
	}
	return nil, credentials.Credential{}, fmt.Errorf("%w: %s", credentials.ErrNotFound, ref)
}

// SetCredential implements [credentials.Provider]. It writes to the source that
// owns ref. If none does it writes to the last one that can be written: a vault is
// a better place than a file. A reference owned by a source that cannot be written
// is [credentials.ErrReadOnly].
func (p *Provider) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	return p.write(ctx, ref, func(source credentials.Provider) error { return source.SetCredential(ctx, ref, c) })
}

// CheckWritable reports what would keep SetCredential from storing a credential
// for ref, as far as that can be known without trying. A login asks first:
// [credentials.ErrReadOnly] means that the server's environment owns ref.
func (p *Provider) CheckWritable(ctx context.Context, ref credentials.Ref) error {
	return p.write(ctx, ref, func(source credentials.Provider) error {
		if s, ok := source.(interface {
			CheckWritable(context.Context, credentials.Ref) error
		}); ok {
			return s.CheckWritable(ctx, ref)
		}
		return nil
	})
}

// write calls do with the source that a credential for ref is stored in.
func (p *Provider) write(ctx context.Context, ref credentials.Ref, do func(credentials.Provider) error) error {
	owner, _, err := p.owner(ctx, ref)
	switch {
	case errors.Is(err, credentials.ErrNotFound):
		return p.add(do)
	case err != nil && !errors.Is(err, credentials.ErrMalformed): // a login replaces a malformed credential
		return err
	}
	return do(owner)
}

// add calls do with one source after the other, from the last one, until one is not
// read-only.
func (p *Provider) add(do func(credentials.Provider) error) error {
	refusal := fmt.Errorf("%w: there is none", credentials.ErrReadOnly)
	for i, source := range slices.Backward(p.sources) {
		err := do(source)
		if !errors.Is(err, credentials.ErrReadOnly) {
			return err
		}
		if i == len(p.sources)-1 { // the error of the preferred source
			refusal = err
		}
	}
	return refusal
}

// Lock implements [credentials.Locker] with the lock of the source that owns ref.
// For one that no other process can write, this process has its own.
func (p *Provider) Lock(ctx context.Context, ref credentials.Ref) (unlock func(), err error) {
	owner, _, err := p.owner(ctx, ref)
	if err != nil && !errors.Is(err, credentials.ErrNotFound) && !errors.Is(err, credentials.ErrMalformed) {
		return nil, err
	}
	if locker, ok := owner.(credentials.Locker); ok {
		return locker.Lock(ctx, ref)
	}
	return p.local.Lock(ctx, ref)
}

// Delete implements [credentials.Provider]. It deletes from every source, so that no
// older credential reappears from the next one.
func (p *Provider) Delete(ctx context.Context, ref credentials.Ref) error {
	for _, source := range p.sources {
		if err := source.Delete(ctx, ref); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// List implements [credentials.Provider]. A credential in several sources is listed
// once, as its owner describes it.
func (p *Provider) List(ctx context.Context) ([]credentials.Info, error) {
	infos := []credentials.Info{}
	owned := map[credentials.Ref]bool{}
	for _, source := range p.sources {
		listed, err := source.List(ctx)
		if err != nil {
			return nil, err
		}
		for _, info := range listed {
			if !owned[info.Ref] {
				infos = append(infos, info)
			}
			owned[info.Ref] = true
		}
	}
	slices.SortFunc(infos, func(a, b credentials.Info) int { return cmp.Compare(a.Ref, b.Ref) })
	return infos, ctx.Err()
}
