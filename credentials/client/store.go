package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/internal/disk"
)

// store stores credentials in the keyring, one entry each. Its directory has the index of
// accounts, and encrypted files for entries that are too large for the keyring. Several
// processes may share it.
type store struct {
	dir  string
	ring *ring
}

// entry is the keyring entry of a reference: the credential itself, or the key of the file
// that contains it.
type entry struct {
	Access    string    `json:"access_token,omitempty"`
	Refresh   string    `json:"refresh_token,omitempty"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Scopes    []string  `json:"scopes,omitempty"`
	Revision  int64     `json:"revision"`
	Key       []byte    `json:"key,omitempty"`
	// Other is the whole credential if it has a kind or hosts, which the other fields
	// cannot represent.
	Other json.RawMessage `json:"credential,omitempty"`
}

// maxEntry is the largest entry in the keyring, in bytes. Windows accepts 2,560 and macOS
// about 3,000, a little less for long names.
const maxEntry = 2048

// Credential implements [credentials.Provider].
func (s *store) Credential(ctx context.Context, ref credentials.Ref) (credentials.Credential, error) {
	e, err := s.read(ctx, ref)
	if err != nil {
		return credentials.Credential{}, err
	}
	return e.credential()
}

// credential returns the credential in the entry.
func (e entry) credential() (credentials.Credential, error) {
	if e.Other != nil {
		c, err := credentials.Parse(string(e.Other))
		if err != nil {
			return credentials.Credential{}, fmt.Errorf("%w: the keyring: %w", credentials.ErrMalformed, err)
		}
		c.Revision = e.Revision
		return c, nil
	}
	return credentials.Credential{
		Access: credentials.NewSecret(e.Access), Refresh: credentials.NewSecret(e.Refresh),
		ExpiresAt: e.ExpiresAt, Scopes: e.Scopes, Revision: e.Revision,
	}, nil
}

// newEntry returns the entry of c. Its revision is random, so that a revision is not reused
// after a logout.
func newEntry(c credentials.Credential) (entry, error) {
	e := entry{ExpiresAt: c.ExpiresAt.UTC(), Scopes: c.Scopes, Revision: 1 + rand.Int64N(1<<62)}
	if c.Kind == "" && len(c.Hosts) == 0 {
		e.Access, e.Refresh = c.Access.Reveal(), c.Refresh.Reveal()
		return e, nil
	}
	fields, err := c.Fields()
	if err != nil {
		return entry{}, err
	}
	e.Other, err = json.Marshal(fields)
	return e, err
}

// read returns the entry of ref, decrypted if it is in a file.
func (s *store) read(ctx context.Context, ref credentials.Ref) (entry, error) {
	for {
		text, err := s.ring.get(ctx, string(ref))
		if err != nil {
			return entry{}, fmt.Errorf("%w (%s)", err, ref)
		}
		e, err := parse(text)
		if err != nil || e.Key == nil {
			return e, err
		}
		opened, err := s.open(ref, e)
		if err == nil {
			return opened, nil
		}
		// Another process may just have replaced the entry and the file.
		if again, _ := s.ring.get(ctx, string(ref)); again == text {
			return entry{}, err
		}
	}
}

// parse parses an entry. Its error does not quote text.
func parse(text string) (entry, error) {
	var e entry
	if json.Unmarshal([]byte(text), &e) != nil || e.Revision == 0 {
		return entry{}, fmt.Errorf("%w: the keyring holds something else; connect the account again", credentials.ErrMalformed)
	}
	return e, nil
}

// SetCredential implements [credentials.Provider].
func (s *store) SetCredential(ctx context.Context, ref credentials.Ref, c credentials.Credential) error {
	unlock, err := s.lock(ctx, "store")
	if err != nil {
		return err
	}
	defer unlock()
	old, err := s.read(ctx, ref)
	switch {
	case errors.Is(err, credentials.ErrUnavailable) || ctx.Err() != nil:
		return err
	case c.Revision != 0 && c.Revision != old.Revision: // old.Revision is 0 if nothing is stored
		return fmt.Errorf("%w: %s", credentials.ErrConflict, ref)
	}
	e, err := newEntry(c)
	if err != nil {
		return err
	}
	return s.write(ctx, ref, e)
}

// write stores e in the keyring. It adds the account to the index first, so that every
// stored secret is visible to the user.
func (s *store) write(ctx context.Context, ref credentials.Ref, e entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if len(text) > maxEntry {
		if text, err = s.seal(ref, e.Revision, text); err != nil {
			return s.failed(err)
		}
	}
	accounts, err := s.accounts()
	if err != nil {
		return err
	}
	if err := s.saveAccounts(accounts.with(account{ref, e.Scopes, e.ExpiresAt})); err != nil {
		return err
	}
	if err := s.ring.set(ctx, string(ref), string(text)); err != nil {
		return errors.Join(err, s.saveAccounts(accounts))
	}
	return s.sweep(ref, e.Revision)
}

// Delete implements [credentials.Provider].
func (s *store) Delete(ctx context.Context, ref credentials.Ref) error {
	unlock, err := s.lock(ctx, "store")
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.ring.remove(ctx, string(ref)); err != nil {
		return err
	}
	accounts, err := s.accounts()
	if err != nil {
		return err
	}
	return errors.Join(s.sweep(ref, 0), s.saveAccounts(accounts.without(ref)))
}

// Lock implements [credentials.Locker] with a lock file for each reference. The system
// releases the lock if this process dies.
func (s *store) Lock(ctx context.Context, ref credentials.Ref) (unlock func(), err error) {
	return s.lock(ctx, fileName(ref))
}

// lock acquires the lock called name; "store" is the lock for all changes.
func (s *store) lock(ctx context.Context, name string) (unlock func(), err error) {
	unlock, err = disk.Lock(ctx, s.path("."+name+".lock"))
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return unlock, s.failed(err)
}

// path returns the path of a file of the store.
func (s *store) path(name string) string { return filepath.Join(s.dir, name) }

// fileName returns the name for the files of ref. It is a hash, since references contain a
// colon, which Windows does not allow in file names.
func fileName(ref credentials.Ref) string {
	sum := sha256.Sum256([]byte(ref))
	return hex.EncodeToString(sum[:16])
}

// failed converts an error of the file system.
func (s *store) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: the folder of accounts: %w", credentials.ErrUnavailable, err)
}

// prepare creates the folder of the store.
func (s *store) prepare() error { return s.failed(os.MkdirAll(s.dir, 0o700)) }
