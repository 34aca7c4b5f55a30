package oauth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"sync"
	"time"
)

// LoginStore keeps logins that are under way, and what became of them. Implementations are safe
// for concurrent use, and pass the suite of package oauthtest. Errors are those below, ctx's, or
// say that it cannot be reached. Nothing that it gets is a secret.
type LoginStore interface {
	// BeginLogin keeps a login for [LoginLife], for a browser that brings a state with this
	// SHA-256. The error is [ErrTooManyLogins] if [MaxLogins] are under way.
	BeginLogin(ctx context.Context, l KeptLogin, state [sha256.Size]byte) error
	// TakeLogin returns the login at a network that waits for this state, for the one who asks
	// first; else it is [ErrUnknownLogin].
	TakeLogin(ctx context.Context, network string, state [sha256.Size]byte) (KeptLogin, error)
	// EndLogin says what became of a login that was taken, for [OutcomeLife].
	EndLogin(ctx context.Context, id string, outcome []byte) error
	// Login returns a login at a network; one that was not taken in time for another
	// [OutcomeLife]. Else it is [ErrUnknownLogin].
	Login(ctx context.Context, network, id string) (KeptLogin, error)
}

// KeptLogin is a login as it is kept.
type KeptLogin struct {
	ID, Network string
	Sealed      []byte
	Outcome     []byte // JSON; nil until it is known
	Late        bool   // nobody has come back in time
}

// seal seals what others must not read. The zero seal is not usable.
type seal struct{ aead cipher.AEAD }

// newSeal returns the seal of who has a secret.
func newSeal(secret string) seal {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "svc logins under way", sha256.Size)
	if err == nil {
		var block cipher.Block
		if block, err = aes.NewCipher(key); err == nil {
			var aead cipher.AEAD
			if aead, err = cipher.NewGCMWithRandomNonce(block); err == nil {
				return seal{aead}
			}
		}
	}
	panic(err) // of a length that is fixed
}

// close seals a text that belongs to a login, and to no other one.
func (s seal) close(id string, text []byte) []byte { return s.aead.Seal(nil, nil, text, []byte(id)) }

func (s seal) open(id string, sealed []byte) ([]byte, error) {
	return s.aead.Open(nil, nil, sealed, []byte(id))
}

// MemoryLogins is a [LoginStore] of one process. Its zero value is ready for use.
type MemoryLogins struct {
	mu      sync.Mutex
	logins  map[string]*memoryLogin // by id
	byState map[[sha256.Size]byte]*memoryLogin
}

type memoryLogin struct {
	KeptLogin

	state [sha256.Size]byte
	until time.Time
}

var _ LoginStore = (*MemoryLogins)(nil)

// BeginLogin implements [LoginStore].
func (m *MemoryLogins) BeginLogin(ctx context.Context, l KeptLogin, state [sha256.Size]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgetOld()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case len(m.byState) >= MaxLogins:
		return ErrTooManyLogins
	case m.logins == nil:
		m.logins, m.byState = map[string]*memoryLogin{}, map[[sha256.Size]byte]*memoryLogin{}
	}
	kept := &memoryLogin{l, state, time.Now().Add(LoginLife)}
	m.logins[l.ID], m.byState[state] = kept, kept
	return nil
}

// TakeLogin implements [LoginStore].
func (m *MemoryLogins) TakeLogin(ctx context.Context, network string, state [sha256.Size]byte) (KeptLogin, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgetOld()
	kept := m.byState[state]
	if ctx.Err() != nil {
		return KeptLogin{}, ctx.Err()
	}
	if kept == nil || kept.Network != network {
		return KeptLogin{}, ErrUnknownLogin
	}
	delete(m.byState, state)
	kept.until = time.Now().Add(OutcomeLife)
	return kept.KeptLogin, nil
}

// EndLogin implements [LoginStore].
func (m *MemoryLogins) EndLogin(ctx context.Context, id string, outcome []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if kept := m.logins[id]; kept != nil {
		kept.Outcome, kept.until = outcome, time.Now().Add(OutcomeLife)
	}
	return ctx.Err()
}

// Login implements [LoginStore].
func (m *MemoryLogins) Login(ctx context.Context, network, id string) (KeptLogin, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.forgetOld()
	kept := m.logins[id]
	if ctx.Err() != nil {
		return KeptLogin{}, ctx.Err()
	}
	if kept == nil || kept.Network != network {
		return KeptLogin{}, ErrUnknownLogin
	}
	return kept.KeptLogin, nil
}

// forgetOld ends logins that nobody has come back from in time, and forgets the others.
func (m *MemoryLogins) forgetOld() {
	now := time.Now()
	for id, kept := range m.logins {
		switch _, waits := m.byState[kept.state]; {
		case now.Before(kept.until):
		case waits:
			delete(m.byState, kept.state)
			kept.Late, kept.until = true, now.Add(OutcomeLife)
		default:
			delete(m.logins, id)
		}
	}
}
