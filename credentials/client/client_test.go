package client_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
	"github.com/svcflow/svc/credentials/credentialstest"
)

// fill stores held in p.
func fill(t *testing.T, p credentials.Provider, held credentialstest.Holding) credentials.Provider {
	t.Helper()
	for ref, c := range held {
		require.NoError(t, p.SetCredential(t.Context(), ref, c))
	}
	return p
}

func TestKeyring(t *testing.T) {
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		p := open(t, filepath.Join(t.TempDir(), "new", "svc"), &fakeRing{})
		require.Equal(t, client.Status{Storage: client.InKeyring}, p.Status())
		return fill(t, p, held)
	}, credentialstest.Options{})
}

func TestMemory(t *testing.T) {
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		return fill(t, open(t, t.TempDir(), &fakeRing{err: errors.New("locked")}), held)
	}, credentialstest.Options{})
}

// A credential outlives the program, and programs with another service name do not see it.
func TestKeyringIsShared(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	require.NoError(t, open(t, dir, ring).SetCredential(t.Context(), ref, secret("one")))
	p := open(t, dir, ring)
	requireAccess(t, p, "one")
	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Info{{Ref: ref, Source: "keyring"}}, infos)

	other := client.Open(t.Context(), client.Options{Dir: t.TempDir(), Service: "com.example.other", Keyring: ring})
	_, err = other.Credential(t.Context(), ref)
	require.ErrorIs(t, err, credentials.ErrNotFound)
	require.ErrorContains(t, err, "pronet:main")
}

func TestRevisionsDoNotComeBack(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	p, other := open(t, dir, ring), open(t, dir, ring)
	require.NoError(t, p.SetCredential(t.Context(), ref, secret("one")))
	stale, err := other.Credential(t.Context(), ref)
	require.NoError(t, err)
	require.NoError(t, p.Delete(t.Context(), ref))
	require.NoError(t, p.SetCredential(t.Context(), ref, secret("two")))
	require.ErrorIs(t, other.SetCredential(t.Context(), ref, stale), credentials.ErrConflict)
	requireAccess(t, p, "two")
}

// Secrets are stored only in the keyring and in encrypted files.
func TestFilesHoldNoSecret(t *testing.T) {
	for _, length := range []int{10, 2500} {
		dir, ring := t.TempDir(), &fakeRing{}
		p := open(t, dir, ring)
		token := strings.Repeat("canary", length)[:length]
		c := credentials.Credential{Access: credentials.NewSecret(token), Refresh: credentials.NewSecret(token + "r"), Scopes: []string{"read"}}
		require.NoError(t, p.SetCredential(t.Context(), ref, c))
		for name, text := range filesIn(t, dir) {
			require.NotContains(t, text, "canary", name)
			require.NotContains(t, name, "pronet")
		}
		require.Contains(t, filesIn(t, dir)["accounts.json"], `"ref": "pronet:main"`)
	}
}

func TestMalformedEntry(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	p := open(t, dir, ring)
	for _, text := range []string{"", "canary", "{}", `{"access_token":"canary"}`, `{"revision":1,"key":"Y2FuYXJ5"}`, `{"revision":"canary"}`} {
		require.NoError(t, ring.Set(service, string(ref), text))
		_, err := p.Credential(t.Context(), ref)
		require.ErrorIs(t, err, credentials.ErrMalformed, text)
		require.ErrorContains(t, err, "connect the account again")
		require.NotContains(t, err.Error(), "canary")
		require.NoError(t, p.SetCredential(t.Context(), ref, secret("new")), "a new login repairs it")
		requireAccess(t, p, "new")
	}
}

func TestDamagedIndex(t *testing.T) {
	dir := t.TempDir()
	p := open(t, dir, &fakeRing{})
	require.NoError(t, os.WriteFile(filepath.Join(dir, "accounts.json"), []byte("["), 0o600))
	_, err := p.List(t.Context())
	require.ErrorIs(t, err, credentials.ErrMalformed)
	require.ErrorIs(t, p.SetCredential(t.Context(), ref, secret("x")), credentials.ErrMalformed, "it would be hidden")
}

// A credential that the keyring refused is not listed.
func TestKeyringFailsLater(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	p := open(t, dir, ring)
	reads := 0
	ring.before = func() {
		if reads++; reads == 2 { // SetCredential reads first, and then writes
			ring.fail(errors.New("locked"))
		}
	}
	err := p.SetCredential(t.Context(), ref, secret("canary"))
	require.ErrorIs(t, err, credentials.ErrUnavailable)
	require.ErrorContains(t, err, "the keyring: locked")
	require.NotContains(t, err.Error(), "canary")
	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Empty(t, infos)
	require.ErrorIs(t, p.Delete(t.Context(), ref), credentials.ErrUnavailable)
	_, err = p.Credential(t.Context(), ref)
	require.ErrorIs(t, err, credentials.ErrUnavailable, "and is not looked for elsewhere")
}

// A keyring that blocks for a password does not block the program.
func TestKeyringHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ring, typed := &fakeRing{}, make(chan struct{})
		p := open(t, t.TempDir(), ring)
		require.NoError(t, p.SetCredential(t.Context(), ref, secret("one")))
		ring.before = func() { <-typed }
		for range 3 {
			began := time.Now()
			_, err := p.Credential(t.Context(), ref)
			require.ErrorIs(t, err, credentials.ErrUnavailable)
			require.ErrorContains(t, err, "within 3s; it may be waiting to be unlocked")
			require.Equal(t, 3*time.Second, time.Since(began))
		}
		close(typed)
		requireAccess(t, p, "one")
	})
}

func TestUnavailable(t *testing.T) {
	ring := &fakeRing{err: errors.New("no such bus")}
	dir := t.TempDir()
	p := open(t, dir, ring)
	require.Equal(t, client.InMemory, p.Status().Storage)
	require.Equal(t, "This computer cannot keep accounts safely (the keyring: no such bus). "+
		"They are forgotten when the program ends.", p.Status().String())
	require.NoError(t, p.SetCredential(t.Context(), ref, secret("canary")))
	requireAccess(t, p, "canary")
	require.Empty(t, filesIn(t, dir), "never in plain text")
	_, err := open(t, dir, ring).Credential(t.Context(), ref)
	require.ErrorIs(t, err, credentials.ErrNotFound, "only in this process")

	require.Equal(t, client.InMemory, p.Probe(t.Context()).Storage)
	ring.fail(nil)
	require.Equal(t, client.Status{Storage: client.InKeyring}, p.Probe(t.Context()))
	requireAccess(t, p, "canary")
	requireAccess(t, open(t, dir, ring), "canary")
}

// A keyring that is locked when the program starts does not count as empty.
func TestLockedKeyring(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	require.NoError(t, open(t, dir, ring).SetCredential(t.Context(), ref, secret("kept")))
	ring.fail(errors.New("locked"))
	p := open(t, dir, ring)
	_, err := p.Credential(t.Context(), ref)
	require.ErrorIs(t, err, credentials.ErrUnavailable)
	require.ErrorContains(t, err, "pronet:main is in the keyring of this computer")
	infos, err := p.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []credentials.Info{{Ref: ref, Source: "keyring"}}, infos)
	require.ErrorIs(t, p.Delete(t.Context(), ref), credentials.ErrUnavailable)

	require.NoError(t, p.SetCredential(t.Context(), ref, secret("new")))
	requireAccess(t, p, "new")
	ring.fail(nil)
	p.Probe(t.Context())
	requireAccess(t, open(t, dir, ring), "new")
}

// forgetful is a keyring that accepts every secret and stores none.
type forgetful struct{ fakeRing }

func (f *forgetful) Get(string, string) (string, error) { return "", nil }

func TestProbe(t *testing.T) {
	ring := &fakeRing{}
	require.Equal(t, client.InKeyring, open(t, t.TempDir(), ring).Status().Storage)
	require.Empty(t, ring.held(), "the probe leaves nothing behind")
	require.ErrorContains(t, open(t, t.TempDir(), &forgetful{}).Status().Reason, "does not keep what is put into it")

	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, open(t, file, ring).Status().Reason, "the folder of accounts")

	synctest.Test(t, func(t *testing.T) {
		unlocked := make(chan struct{})
		ring := &fakeRing{before: func() { <-unlocked }}
		began := time.Now()
		p := open(t, t.TempDir(), ring)
		require.Equal(t, client.InMemory, p.Status().Storage)
		require.Equal(t, 3*time.Second, time.Since(began), "the start of a program does not wait long")
		time.AfterFunc(30*time.Second, func() { close(unlocked) })
		require.Equal(t, client.InKeyring, p.Probe(t.Context()).Storage, "a user who types a password may take longer")
	})
}
