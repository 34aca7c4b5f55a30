// Package client stores the credentials of a desktop: [Provider] keeps them in the
// keyring of the operating system, and logs accounts in with the user's browser.
//
// Where there is no keyring, accounts are connected on the server (see
// [Exchange]), and without a server they live in memory until the program ends.
// [Provider.Status] says which, and programs should show it. Nothing is ever written
// in plain text.
//
// Nodes get an oauth.Refresher around the provider, which keeps credentials valid.
package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/svcflow/svc/credentials"
)

// Options configures a provider.
type Options struct {
	// Dir is a folder for this provider only. It holds the index of accounts, locks, and
	// entries that are too large for the keyring, encrypted. It is created if needed.
	// Several processes may share it.
	Dir string
	// Service is the name of the program in the keyring, such as "com.example.svc".
	Service string
	// Keyring stores the secrets; nil means the operating system's keyring.
	Keyring Keyring
	// Exchange is a server that stores accounts if there is no keyring; nil: none.
	Exchange Exchange
}

// Provider is the ClientCredentialProvider of the spec (section 5). Make one with
// [Open]. It is safe for concurrent use, and a [credentials.Locker].
type Provider struct {
	store    *store
	exchange Exchange // nil: none
	memory   credentials.Memory

	mu     sync.Mutex
	status Status
}

// Open returns the provider. It tries the keyring for at most three seconds; what
// came of it is in [Provider.Status].
func Open(ctx context.Context, options Options) *Provider {
	if options.Keyring == nil {
		options.Keyring = system{}
	}
	p := &Provider{store: &store{options.Dir, newRing(options.Keyring, options.Service)}, exchange: options.Exchange}
	p.probe(ctx, quick)
	return p
}

// source returns the store of this computer's credentials.
func (p *Provider) source() credentials.Locker {
	if p.Status().Storage == InKeyring {
		return p.store
	}
	return &p.memory
}

// Credential implements [credentials.Provider]. The error is [credentials.ErrNotFound]
// for an account on a server, since no server gives a token away, and
// [credentials.ErrUnavailable] if the keyring cannot be used now.
func (p *Provider) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	c, err := p.source().Credential(ctx, ref)
	status := p.Status()
	if !errors.Is(err, credentials.ErrNotFound) || status.Storage == InKeyring {
		return c, err
	}
	if err := p.lockedUp(ref); err != nil {
		return c, err
	}
	if status.Storage == OnServer {
		err = fmt.Errorf("%w on this computer: %s; run the workflow on the server, which keeps its accounts", credentials.ErrNotFound, ref)
	}
	return c, err
}

// lockedUp returns an error if ref is in the keyring and the keyring cannot be used.
func (p *Provider) lockedUp(ref credentials.Ref) error {
	status := p.Status()
	accounts, err := p.store.accounts()
	if err != nil || status.Storage == InKeyring || !accounts.has(ref) {
		return nil // an unreadable index counts as empty
	}
	return fmt.Errorf("%s is in the keyring of this computer: %w", ref, status.Reason)
}

// SetCredential implements [credentials.Provider]. Without a keyring it stores in memory
// only.
func (p *Provider) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	return p.source().SetCredential(ctx, ref, c)
}

// Delete implements [credentials.Provider]. If a server stores the accounts, it deletes
// there, too. A credential in a keyring that cannot be used now is not deleted, which is an
// error.
func (p *Provider) Delete(ctx context.Context, ref credentials.Ref) error {
	err := p.source().Delete(ctx, ref)
	if err == nil && p.Status().Storage == OnServer {
		err = p.exchange.Delete(ctx, ref)
	}
	if err == nil {
		err = p.lockedUp(ref)
	}
	return err
}

// List implements [credentials.Provider]. The source of each credential is its [Storage].
// Credentials in the keyring are listed even if it cannot be used now.
func (p *Provider) List(ctx context.Context) ([]credentials.Info, error) {
	infos, err := p.source().List(ctx)
	storage := p.Status().Storage
	if err != nil || storage == InKeyring {
		return infos, err
	}
	if kept, err := p.store.List(ctx); err == nil {
		infos = merge(infos, kept)
	}
	if storage == OnServer {
		there, err := p.exchange.List(ctx)
		if err != nil {
			return nil, err
		}
		for i := range there {
			there[i].Source = string(OnServer)
		}
		infos = merge(infos, there)
	}
	return infos, nil
}

// merge adds the infos of more whose references are not among infos.
func merge(infos, more []credentials.Info) []credentials.Info {
	for _, info := range more {
		if !slices.ContainsFunc(infos, func(i credentials.Info) bool { return i.Ref == info.Ref }) {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b credentials.Info) int { return cmp.Compare(a.Ref, b.Ref) })
	return infos
}

// Lock implements [credentials.Locker] among all processes that share the folder.
func (p *Provider) Lock(ctx context.Context, ref credentials.Ref) (unlock func(), err error) {
	return p.source().Lock(ctx, ref)
}
