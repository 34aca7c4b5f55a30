// Package credentials says what a secret of a network looks like and where it
// comes from. A workflow holds only a [Ref]. The program that runs it has a [Provider],
// which turns the reference into a [Credential] at the moment a node needs it.
//
// The package holds no source of secrets: those are credentials/server (for a
// headless server) and credentials/client (for a desktop).
package credentials

import (
	"context"
	"errors"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// Ref names a secret: a network and an account, such as "pronet:main".
type Ref = value.Credential

// ParseRef checks that s is a reference. Its error never repeats s, which may be
// a secret put in the wrong place.
func ParseRef(s string) (Ref, error) { return value.ParseCredential(s) }

// Errors of providers. They wrap these; their texts are safe to show and hold no
// secret.
var (
	ErrNotFound    = errors.New("no such credential")
	ErrReauthorize = errors.New("the credential is no longer valid; connect the account again")
	ErrReadOnly    = errors.New("this source of credentials cannot be written")
	ErrConflict    = errors.New("the credential was changed by somebody else")
	ErrUnavailable = errors.New("the source of credentials is not available")
	ErrMalformed   = errors.New("what is stored is not a credential")
)

// Credential is the secret of one account. Access is all that most nodes need;
// the other fields let it be refreshed, or say how and where it is sent.
type Credential struct {
	// Kind says what Access is and how it is sent. Empty means the usual form for the
	// account's network, mostly a token.
	Kind Kind
	// Access is the secret that is sent or used: a token, a password, a key. For
	// [KindClientCredentials] it is the token that was fetched with the client's secret,
	// which only a refresher sets.
	Access  Secret
	Refresh Secret // empty if the network gave none
	// ExpiresAt is when Access must no longer be used, a little before it expires at the
	// network; zero if unknown or never.
	ExpiresAt time.Time
	Scopes    []string // granted by the network; nil if unknown
	// Hosts are the only hosts that may receive the secret, in the form of
	// [network.CheckHost]; empty means those of the network.
	Hosts []string
	Name  string // of the header or query parameter that carries it
	User  string // the user name for a login
	// Client holds the secret of [KindClientCredentials], which is exchanged for tokens.
	Client ClientCredentials
	// Revision is the source's version of this credential, 0 if it does not count versions.
	// SetCredential fails with [ErrConflict] if the stored revision differs; 0 overwrites
	// any revision.
	Revision int64
}

// ClientCredentials are for a program that logs in as itself (RFC 6749 section 4.4).
type ClientCredentials struct {
	TokenURL, ID string
	Secret       Secret
}

// Info describes a credential without its secret.
type Info struct {
	Ref       Ref
	Source    string    // where it is stored, such as "environment"
	Scopes    []string  // as in [Credential]
	ExpiresAt time.Time // as in [Credential]
}

// Provider is a source of credentials (docs/design.md, Credentials). It is safe for
// concurrent use. All providers pass the suite of package credentialstest.
type Provider interface {
	// Credential returns the credential that is stored for ref, expired or not. Errors are
	// [ErrNotFound], and [ErrMalformed] if it cannot be used.
	Credential(ctx context.Context, ref Ref) (Credential, error)
	// SetCredential stores c durably before it returns. A read-only source returns
	// [ErrReadOnly].
	SetCredential(ctx context.Context, ref Ref, c Credential) error
	// Delete removes ref's credential, if there is one. A read-only source returns
	// [ErrReadOnly].
	Delete(ctx context.Context, ref Ref) error
	// List describes what is stored, sorted by reference.
	List(ctx context.Context) ([]Info, error)
}

// Locker is a Provider that several processes may share. To renew a credential, a caller
// locks it, reads it again, and stores the new one before it unlocks. This is needed since
// a network accepts a refresh token only once, and ends the whole login if it is used
// again.
type Locker interface {
	Provider
	// Lock acquires the lock of ref, which excludes all callers in this process and others.
	// If a process dies, its lock is released within 30 seconds. Reads and writes do not
	// need the lock or wait for it. Errors are ctx's and [ErrUnavailable]. Callers must
	// call unlock once; it returns within a limited time, even if ctx has ended.
	Lock(ctx context.Context, ref Ref) (unlock func(), err error)
}
