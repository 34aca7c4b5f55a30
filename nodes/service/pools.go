package service

import (
	"crypto/sha256"
	"errors"
	"io"
	"sync"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/engine/node"
)

// Pools holds one open resource for each credential, such as a connection pool, which all
// runs share. The zero value is ready for use. It is safe for concurrent use.
type Pools[T io.Closer] struct {
	mu     sync.Mutex
	all    map[credentials.Ref]pooled[T]
	closed bool
}

type pooled[T io.Closer] struct {
	open   T
	digest [sha256.Size]byte // of the settings and secret it was opened with
}

// Get returns the resource of a credential, or opens it. with names the settings and secret it
// is opened with: if they have changed, the old resource is closed and replaced.
func (p *Pools[T]) Get(ref credentials.Ref, with string, open func() (T, error)) (opened T, err error) {
	digest := sha256.Sum256([]byte(with))
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return opened, node.Errorf(node.CodeInterrupted, "the service stops")
	}
	if old, ok := p.all[ref]; ok {
		if old.digest == digest {
			return old.open, nil
		}
		_ = old.open.Close() // connections in use stay open
	}
	if opened, err = open(); err != nil {
		return opened, err
	}
	if p.all == nil {
		p.all = map[credentials.Ref]pooled[T]{}
	}
	p.all[ref] = pooled[T]{opened, digest}
	return opened, nil
}

// Close closes all resources. Get fails afterwards.
func (p *Pools[T]) Close() (err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, one := range p.all {
		err = errors.Join(err, one.open.Close())
	}
	p.all = nil
	return err
}
