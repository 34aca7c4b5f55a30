package client_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
)

const (
	service = "com.example.svc"
	ref     = credentials.Ref("pronet:main")
)

// fakeRing is an in-memory keyring with the size limit of Windows.
type fakeRing struct {
	mu      sync.Mutex
	entries map[string]string
	err     error  // returned by every call if not nil
	before  func() // called before each call
}

func (f *fakeRing) call(change func() error) error {
	f.mu.Lock()
	before := f.before
	f.mu.Unlock()
	if before != nil {
		before()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return f.err
	}
	return change()
}

func (f *fakeRing) Get(service, user string) (secret string, err error) {
	err = f.call(func() error {
		var ok bool
		if secret, ok = f.entries[service+" "+user]; !ok {
			return keyring.ErrNotFound
		}
		return nil
	})
	return secret, err
}

func (f *fakeRing) Set(service, user, secret string) error {
	return f.call(func() error {
		if len(secret) > 2560 {
			return keyring.ErrSetDataTooBig
		}
		if f.entries == nil {
			f.entries = map[string]string{}
		}
		f.entries[service+" "+user] = secret
		return nil
	})
}

func (f *fakeRing) Delete(service, user string) error {
	return f.call(func() error {
		if _, ok := f.entries[service+" "+user]; !ok {
			return keyring.ErrNotFound
		}
		delete(f.entries, service+" "+user)
		return nil
	})
}

// fail makes every call fail with err; nil ends that.
func (f *fakeRing) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *fakeRing) held() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.entries)
}

// open returns a provider with ring and folder dir.
func open(t *testing.T, dir string, ring client.Keyring) *client.Provider {
	t.Helper()
	return client.Open(t.Context(), client.Options{Dir: dir, Service: service, Keyring: ring})
}

func secret(access string) credentials.Credential {
	return credentials.Credential{Access: credentials.NewSecret(access)}
}

// requireAccess requires that p holds the access token access for ref.
func requireAccess(t *testing.T, p credentials.Provider, access string) {
	t.Helper()
	c, err := p.Credential(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, access, c.Access.Reveal())
}

// filesIn returns the content of the files in dir, by name.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode(), path)
		text, err := os.ReadFile(path)
		files[entry.Name()] = string(text)
		return err
	}))
	return files
}

// sealedIn returns the names of the sealed files in dir.
func sealedIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	for name := range filesIn(t, dir) {
		if strings.HasSuffix(name, ".sealed") {
			names = append(names, name)
		}
	}
	return names
}
