package client_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/client"
)

func big(mark string) string { return strings.Repeat(mark, 2500/len(mark)) }

func TestBigCredentials(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	p := open(t, dir, ring)
	for _, mark := range []string{"a", "b", "c"} {
		c := credentials.Credential{Access: credentials.NewSecret(big(mark)), Refresh: credentials.NewSecret(big(mark)), Scopes: []string{mark}}
		require.NoError(t, p.SetCredential(t.Context(), ref, c))
		got, err := open(t, dir, ring).Credential(t.Context(), ref)
		require.NoError(t, err)
		got.Revision = 0
		require.Equal(t, c, got)
		require.Len(t, sealedIn(t, dir), 1, "the file of the last revision is gone")
		require.Less(t, len(ring.held()[service+" "+string(ref)]), 200)
	}
	require.NoError(t, p.SetCredential(t.Context(), "microblog:bot", secret(big("x"))))
	require.NoError(t, p.SetCredential(t.Context(), ref, secret("small")))
	require.Len(t, sealedIn(t, dir), 1, "what is small again needs no file")
	requireAccess(t, p, "small")

	require.NoError(t, p.SetCredential(t.Context(), ref, secret(big("d"))))
	require.NoError(t, p.Delete(t.Context(), ref))
	require.Len(t, sealedIn(t, dir), 1, "that of another account")
	_, err := p.Credential(t.Context(), "microblog:bot")
	require.NoError(t, err)
}

func TestSealedFileIsTiedToItsEntry(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, mine, theirs string){
		"gone":    func(t *testing.T, mine, _ string) { require.NoError(t, os.Remove(mine)) },
		"empty":   func(t *testing.T, mine, _ string) { require.NoError(t, os.Truncate(mine, 0)) },
		"shorter": func(t *testing.T, mine, _ string) { require.NoError(t, os.Truncate(mine, 1000)) },
		"swapped": func(t *testing.T, mine, theirs string) { require.NoError(t, os.Rename(theirs, mine)) },
		"flipped": func(t *testing.T, mine, _ string) {
			text, err := os.ReadFile(mine)
			require.NoError(t, err)
			text[100] ^= 1
			require.NoError(t, os.WriteFile(mine, text, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			p := open(t, dir, &fakeRing{})
			require.NoError(t, p.SetCredential(t.Context(), ref, secret(big("canary"))))
			mine := sealedIn(t, dir)[0]
			require.NoError(t, p.SetCredential(t.Context(), "pronet:other", secret(big("canary"))))
			theirs := mine
			for _, file := range sealedIn(t, dir) {
				if file != mine {
					theirs = file
				}
			}
			spoil(t, filepath.Join(dir, mine), filepath.Join(dir, theirs))
			_, err := p.Credential(t.Context(), ref)
			require.ErrorIs(t, err, credentials.ErrMalformed)
			require.ErrorContains(t, err, "the file of pronet:main is missing or damaged; connect the account again")
			require.NoError(t, p.SetCredential(t.Context(), ref, secret(big("new"))))
			requireAccess(t, p, big("new"))
		})
	}
}

// A program that dies after writing the file and before writing the entry leaves the old
// credential, and a file that the next program removes.
func TestLeftOverFile(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	p := open(t, dir, ring)
	require.NoError(t, p.SetCredential(t.Context(), ref, secret(big("old"))))
	name := sealedIn(t, dir)[0]
	hash, _, _ := strings.Cut(name, "-")
	require.NoError(t, os.WriteFile(filepath.Join(dir, hash+"-1.sealed"), []byte("half"), 0o600))
	requireAccess(t, p, big("old"))
	require.NoError(t, p.SetCredential(t.Context(), ref, secret(big("new"))))
	require.Len(t, sealedIn(t, dir), 1)
}

// overtaken is a keyring in which a writer replaces the entry once between two reads.
type overtaken struct {
	*fakeRing
	write func()
}

func (o *overtaken) Get(service, user string) (string, error) {
	secret, err := o.fakeRing.Get(service, user)
	if write := o.write; write != nil && user == string(ref) {
		o.write = nil
		write()
	}
	return secret, err
}

// Another process may replace the entry and the file between reading the two.
func TestReplacedWhileRead(t *testing.T) {
	dir, ring := t.TempDir(), &fakeRing{}
	writer := open(t, dir, ring)
	require.NoError(t, writer.SetCredential(t.Context(), ref, secret(big("old"))))
	reader := open(t, dir, &overtaken{ring, func() {
		require.NoError(t, writer.SetCredential(t.Context(), ref, secret(big("new"))))
	}})
	requireAccess(t, reader, big("new"))
}

// FuzzEntry checks that any keyring entry is either a credential or an error that does not
// quote it.
func FuzzEntry(f *testing.F) {
	f.Add(`{"access_token":"canary","revision":1}`)
	f.Add(`{"revision":1,"key":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}`)
	f.Add(`{"revision":"canary"}`)
	f.Add(`canary`)
	ring := &fakeRing{}
	p := client.Open(f.Context(), client.Options{Dir: f.TempDir(), Service: service, Keyring: ring})
	f.Fuzz(func(t *testing.T, text string) {
		ring.entries = map[string]string{service + " " + string(ref): text}
		c, err := p.Credential(t.Context(), ref)
		if err == nil {
			require.NotZero(t, c.Revision)
			return
		}
		require.ErrorIs(t, err, credentials.ErrMalformed)
		require.NotContains(t, err.Error(), "canary")
	})
}
