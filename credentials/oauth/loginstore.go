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

// LoginStore stores logins that are under way, and their results. Implementations are safe for
// concurrent use, and pass the suite of package oauthtest. Errors are those below, ctx's, or mean
// that the store cannot be reached. It gets no secret in plain text.
type LoginStore interface {
	// BeginLogin stores a login for [LoginLife], under the SHA-256 of its state. The error is
	// [ErrTooManyLogins] if [MaxLogins] are under way.
	BeginLogin(ctx context.Context, l KeptLogin, state [sha256.Size]byte) error
	// TakeLogin returns the login at a network with this state, to the first caller only. All
	// others get [ErrUnknownLogin].
	TakeLogin(ctx context.Context, network string, state [sha256.Size]byte) (KeptLogin, error)
	// EndLogin stores the result of a login that was taken, for [OutcomeLife].
	EndLogin(ctx context.Context, id string, outcome []byte) error
	// Login returns a login at a network, or [ErrUnknownLogin]. A login that was not taken in
	// time is returned for another [OutcomeLife].
	Login(ctx context.Context, network, id string) (KeptLogin, error)
}

// KeptLogin is a stored login.
type KeptLogin struct {
	ID, Network string
	Sealed      []byte
	Outcome     []byte // JSON; nil until it is known
	Late        bool   // nobody has come back in time
}

// seal encrypts stored logins. The zero seal is not usable.
type seal struct{ aead cipher.AEAD }

// newSeal returns a seal with a key that is derived from a secret.
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

// close encrypts a text and binds it to one login.
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

// forgetOld ends logins whose browser has not come back in time, and drops old results.
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
