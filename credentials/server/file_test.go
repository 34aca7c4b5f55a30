package server_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/credentials/credentialstest"
	"github.com/svcflow/svc/credentials/network"
	"github.com/svcflow/svc/credentials/server"
)

// newFile returns a source for the file at path.
func newFile(path string) *server.File {
	return server.NewFile(path, network.Shipped())
}

// credentialsFile writes text to a new file and returns its path.
func credentialsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "credentials.env")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func requireText(t *testing.T, path, want string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
}

func TestFile(t *testing.T) {
	credentialstest.Run(t, func(t *testing.T, held credentialstest.Holding) credentials.Provider {
		f := newFile(filepath.Join(t.TempDir(), "not", "there", "credentials.env"))
		for ref, c := range held {
			require.NoError(t, f.SetCredential(t.Context(), ref, c))
		}
		return f
	}, credentialstest.Options{})
}

const handwritten = `# Who may post
PRONET_MAIN=bare$HOME   # a comment

export MICROBLOG_BOT = "quoted \"token\""
EMAIL_MAIN='it has # and spaces'
OTHER_SERVICE=kept
`

func TestFileForms(t *testing.T) {
	f := newFile(credentialsFile(t, handwritten))
	requireSecret(t, f, "pronet:main", "bare$HOME")
	requireSecret(t, f, "microblog:bot", `quoted "token"`)
	requireSecret(t, f, "email:main", "it has # and spaces")
	_, err := f.Credential(t.Context(), "other:service")
	require.ErrorIs(t, err, credentials.ErrNotFound, "of no network")

	infos, err := f.List(t.Context())
	require.NoError(t, err)
	require.Len(t, infos, 3)
	require.Equal(t, credentials.Info{Ref: "email:main", Source: "file"}, infos[0])
}

func TestACommentBeginsBehindWhiteSpaceOnly(t *testing.T) {
	f := newFile(credentialsFile(t, "\ufeffPRONET_A=pa#ss\nPRONET_B=#pass # a comment\nPRONET_C='x#y'  # a comment\nPRONET_D=pass\t#comment\n  # PRONET_E=x\nPRONET_F=\"a#b\"\nPRONET_G=pass#\n"))
	for ref, want := range map[credentials.Ref]string{
		"pronet:a": "pa#ss", "pronet:b": "#pass", "pronet:c": "x#y", "pronet:d": "pass", "pronet:f": "a#b", "pronet:g": "pass#",
	} {
		requireSecret(t, f, ref, want)
	}
	_, err := f.Credential(t.Context(), "pronet:e")
	require.ErrorIs(t, err, credentials.ErrNotFound)
}

func TestFileKeepsOtherLines(t *testing.T) {
	path := credentialsFile(t, handwritten)
	f := newFile(path)
	require.NoError(t, f.SetCredential(t.Context(), "microblog:bot", credentials.Credential{
		Access: credentials.NewSecret(`a'b"c\d`), Refresh: credentials.NewSecret("ref"),
		ExpiresAt: time.Unix(1893585600, 0), Scopes: []string{"x", "y"},
	}))
	require.NoError(t, f.SetCredential(t.Context(), "pronet:new", secret("new")))
	require.NoError(t, f.Delete(t.Context(), "email:main"))
	requireText(t, path, `# Who may post
PRONET_MAIN=bare$HOME   # a comment

export MICROBLOG_BOT='{"access_token":"a\u0027b\"c\\d","expires_at":"2030-01-02T12:00:00Z","refresh_token":"ref","scope":"x y"}'
OTHER_SERVICE=kept
PRONET_NEW='{"access_token":"new"}'
`)
	requireSecret(t, f, "microblog:bot", `a'b"c\d`)
	requireSecret(t, f, "pronet:new", "new")
}

func TestFileWithoutLastLineEnd(t *testing.T) {
	path := credentialsFile(t, "PRONET_MAIN=x")
	require.NoError(t, newFile(path).SetCredential(t.Context(), "pronet:b", secret("y")))
	requireText(t, path, "PRONET_MAIN=x\nPRONET_B='{\"access_token\":\"y\"}'\n")
}

// Only the file and its locks remain, and other users cannot read them.
func TestFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	f := newFile(filepath.Join(dir, "credentials.env"))
	require.NoError(t, f.SetCredential(t.Context(), "pronet:main", secret("x")))
	unlock, err := f.Lock(t.Context(), "pronet:main")
	require.NoError(t, err)
	unlock()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		if runtime.GOOS != "windows" {
			require.Zero(t, info.Mode().Perm()&0o077, e.Name())
		}
		names = append(names, e.Name())
	}
	require.Equal(t, []string{".credentials.env.PRONET_MAIN.lock", ".credentials.env.lock", "credentials.env"}, names)
}

func TestFileMistakes(t *testing.T) {
	for name, test := range map[string]struct{ text, says string }{
		"no assignment":       {"# fine\ncanary\n", "line 2 is not NAME=value"},
		"bad name":            {"1CANARY=canary\n", "line 1 is not NAME=value"},
		"open quote":          {"PRONET_MAIN='canary\n", "line 1 is not NAME=value"},
		"bad escape":          {`PRONET_MAIN="\canary"`, "line 1 is not NAME=value"},
		"several lines":       {"PRONET_MAIN='{\n\"access_token\":\"canary\"}'\n", "line 1 is not NAME=value"},
		"text behind a quote": {"# fine\nPRONET_MAIN='canary'#canary\n", "line 2 is not NAME=value"},
		"two words":           {"PRONET_MAIN=canary canary\n", "line 1 is not NAME=value"},
		"# beside a dollar":   {"PRONET_MAIN=canary$x#canary\n", "line 1 is not NAME=value"},
		"# beside a quote":    {"PRONET_MAIN=can'ary#canary\n", "line 1 is not NAME=value"},
		"twice":               {"PRONET_MAIN=canary\n\nPRONET_MAIN=canary\n", "lines 1 and 3 set the same variable"},
		"too big":             {strings.Repeat("# canary canary\n", 300_000), "4194304 bytes"},
		"a very long one":     {"PRONET_MAIN=" + strings.Repeat("canary", 20_000), "line 1 is not"},
	} {
		t.Run(name, func(t *testing.T) {
			path := credentialsFile(t, test.text)
			f := newFile(path)
			// Even for a reference that is in no line: the broken one may be its own.
			_, err := f.Credential(t.Context(), "pronet:other")
			requireUnavailable(t, err, test.says)
			_, err = f.List(t.Context())
			requireUnavailable(t, err, test.says)
			requireUnavailable(t, f.SetCredential(t.Context(), "pronet:main", secret("x")), test.says)
			requireUnavailable(t, f.Delete(t.Context(), "pronet:main"), test.says)
			requireText(t, path, test.text)
		})
	}
}

func requireUnavailable(t *testing.T, err error, says string) {
	t.Helper()
	require.ErrorIs(t, err, credentials.ErrUnavailable)
	require.ErrorContains(t, err, says)
	require.NotContains(t, err.Error(), "canary")
	require.NotContains(t, err.Error(), os.TempDir(), "no path is shown to people who do not run the server")
}

func TestFileThatOthersCanRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	path := credentialsFile(t, "PRONET_MAIN=canary\n")
	for _, mode := range []os.FileMode{0o644, 0o640, 0o602} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := newFile(path).Credential(t.Context(), "pronet:main")
		requireUnavailable(t, err, "run chmod 600")
		requireUnavailable(t, newFile(path).SetCredential(t.Context(), "pronet:main", secret("x")), "run chmod 600")
	}
	require.NoError(t, os.Chmod(path, 0o400))
	requireSecret(t, newFile(path), "pronet:main", "canary")
}

// Like a container that mounts its secrets read-only.
func TestFileThatMayNotBeWritten(t *testing.T) {
	const dir = "/sys" // where not even root can make files
	if _, err := os.Stat(dir); err != nil {
		t.Skip("needs Linux")
	}
	f := newFile(filepath.Join(dir, "credentials.env"))
	require.ErrorIs(t, f.SetCredential(t.Context(), "pronet:main", secret("x")), credentials.ErrReadOnly)
	require.NoError(t, f.Delete(t.Context(), "pronet:main"), "it is not there")

	unlock, err := f.Lock(t.Context(), "pronet:main")
	require.NoError(t, err, "the token can be renewed all the same, and kept in memory")
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err = f.Lock(ctx, "pronet:main")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestFileThatIsNone(t *testing.T) {
	_, err := newFile(t.TempDir()).Credential(t.Context(), "pronet:main")
	requireUnavailable(t, err, "not a regular file")
}

func TestFileNamesAnotherFile(t *testing.T) {
	path := credentialsFile(t, "PRONET_MAIN_FILE="+secretFile(t, "tok\n")+"\n")
	f := newFile(path)
	requireSecret(t, f, "pronet:main", "tok")
	require.ErrorIs(t, f.CheckWritable(t.Context(), "pronet:main"), credentials.ErrReadOnly)
	require.ErrorIs(t, f.SetCredential(t.Context(), "pronet:main", secret("x")), credentials.ErrReadOnly)
	require.ErrorIs(t, f.Delete(t.Context(), "pronet:main"), credentials.ErrReadOnly)
	require.NoError(t, f.CheckWritable(t.Context(), "pronet:other"))
}

// A login cannot change a variable that is not a credential.
func TestFileWritesNoOtherVariable(t *testing.T) {
	path := credentialsFile(t, "PRONET_CLIENT_SECRET=kept\n")
	f := newFile(path)
	for _, ref := range []credentials.Ref{"pronet:client-secret", "svc:api-key", "pronet:main-file", "pronet:x\nEMAIL_MAIN=y", "../x"} {
		require.ErrorIs(t, f.SetCredential(t.Context(), ref, secret("x")), credentials.ErrReadOnly, ref)
		require.NoError(t, f.Delete(t.Context(), ref), ref)
	}
	requireText(t, path, "PRONET_CLIENT_SECRET=kept\n")
	_, err := f.Lock(t.Context(), "../x")
	require.ErrorIs(t, err, credentials.ErrUnavailable)
}

// A credential that could not be read back is not written.
func TestFileRefusesUselessTokens(t *testing.T) {
	f := newFile(filepath.Join(t.TempDir(), "credentials.env"))
	for _, token := range []string{"", "canary\n", " canary", "canary\xff"} {
		err := f.SetCredential(t.Context(), "pronet:main", secret(token))
		require.ErrorIs(t, err, credentials.ErrMalformed)
		require.NotContains(t, err.Error(), "canary")
	}
}

func TestFileBehindALink(t *testing.T) {
	path := credentialsFile(t, "PRONET_MAIN=old\n")
	link := filepath.Join(t.TempDir(), "link.env")
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, newFile(link).SetCredential(t.Context(), "pronet:main", secret("new")))
	requireText(t, path, "PRONET_MAIN='{\"access_token\":\"new\"}'\n")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
}

// Another program changes the file between reading and writing.
func TestFileSeesOthers(t *testing.T) {
	path := credentialsFile(t, "PRONET_MAIN=one\n")
	f := newFile(path)
	c, err := f.Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("PRONET_MAIN=two\nEMAIL_MAIN=x\n"), 0o600))
	requireSecret(t, f, "pronet:main", "two")
	require.ErrorIs(t, f.SetCredential(t.Context(), "pronet:main", c), credentials.ErrConflict)

	c, err = f.Credential(t.Context(), "pronet:main")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte("PRONET_MAIN=two\n"), 0o600))
	require.NoError(t, f.SetCredential(t.Context(), "pronet:main", c), "only another line was changed")
}

// Deleting a credential that was just deleted removes nothing else.
func TestFileDeletedAtOnce(t *testing.T) {
	path := credentialsFile(t, "# First\nPRONET_MAIN=x\nEMAIL_MAIN=y\n")
	f := newFile(path)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { assert.NoError(t, f.Delete(t.Context(), "pronet:main")) })
	}
	wg.Wait()
	requireText(t, path, "# First\nEMAIL_MAIN=y\n")
}

func TestFileWaitsForItsLockNoLongerThanAsked(t *testing.T) {
	path := credentialsFile(t, "")
	unlock, err := newFile(path).Lock(t.Context(), "pronet:main")
	require.NoError(t, err)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = newFile(path).Lock(ctx, "pronet:main")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// FuzzFile checks that changing one credential changes no other line.
func FuzzFile(f *testing.F) {
	f.Add(handwritten, "tok'\"\\$en")
	f.Add("PRONET_MAIN=1\r\nX=2", "t")
	f.Add("", "t")
	f.Fuzz(func(t *testing.T, text, token string) {
		path := credentialsFile(t, text)
		file := newFile(path)
		err := file.SetCredential(t.Context(), "pronet:main", secret(token))
		if err != nil {
			requireText(t, path, text)
			return
		}
		requireSecret(t, file, "pronet:main", token)
		require.NoError(t, file.Delete(t.Context(), "pronet:main"))
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			if !strings.Contains(line, "PRONET_MAIN") {
				require.Contains(t, string(after), line)
			}
		}
	})
}
