package client

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/svcflow/svc/credentials"
)

// Storage is where a desktop stores accounts.
type Storage string

// The storages, best first.
const (
	InKeyring Storage = "keyring" // of this computer
	OnServer  Storage = "server"  // accounts are connected and stored there
	InMemory  Storage = "memory"  // until the program ends
)

// Status says where accounts are kept, for the user to see.
type Status struct {
	Storage Storage
	// Reason is why the keyring cannot be used; nil if it can. Its text is safe to show.
	Reason error
}

// String describes the status in one or two sentences.
func (s Status) String() string {
	switch s.Storage {
	case OnServer:
		return "This computer cannot keep accounts safely (" + s.why() + "). They are connected on the server, and workflows that need them run there."
	case InMemory:
		return "This computer cannot keep accounts safely (" + s.why() + "). They are forgotten when the program ends."
	}
	return "Accounts are kept in the keyring of this computer."
}

// why returns a short form of the reason.
func (s Status) why() string {
	return strings.TrimPrefix(s.Reason.Error(), credentials.ErrUnavailable.Error()+": ")
}

// Status returns where accounts are stored. Only [Provider.Probe] changes it.
func (p *Provider) Status() Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Probe checks again whether the keyring can be used, for a button "try again". It waits a
// minute for the user to unlock it. If it succeeds, credentials in memory move into the
// keyring.
func (p *Provider) Probe(ctx context.Context) Status {
	p.probe(ctx, patient)
	if p.Status().Storage != InKeyring {
		return p.Status()
	}
	if err := p.moveIn(ctx); err != nil {
		p.setStatus(err)
	}
	return p.Status()
}

// probe sets the status, depending on whether the keyring answers within patience.
func (p *Provider) probe(ctx context.Context, patience time.Duration) {
	err := p.store.prepare()
	if err == nil {
		err = p.store.ring.probe(ctx, patience)
	}
	p.setStatus(err)
}

// setStatus chooses the best available storage; reason is why the keyring cannot be used.
func (p *Provider) setStatus(reason error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case reason == nil:
		p.status = Status{Storage: InKeyring}
	case p.exchange != nil:
		p.status = Status{OnServer, reason}
	default:
		p.status = Status{InMemory, reason}
	}
}

// moveIn moves the credentials in memory into the keyring.
func (p *Provider) moveIn(ctx context.Context) error {
	infos, err := p.memory.List(ctx)
	errs := []error{err}
	for _, info := range infos {
		c, err := p.memory.Credential(ctx, info.Ref)
		c.Revision = 0 // revisions in the keyring are independent
		if err == nil {
			err = p.store.SetCredential(ctx, info.Ref, c)
		}
		if err == nil {
			err = p.memory.Delete(ctx, info.Ref)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
