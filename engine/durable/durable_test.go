package durable_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/durable"
)

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()
	modified := time.Date(2020, 1, 2, 3, 4, 5, 6000, time.UTC)
	for name, o := range map[string]durable.Options{
		"default": {}, "temp": {Temp: "it.tmp"}, "mode": {Perm: 0o666, Exact: true}, "time": {Modified: modified},
		"root": {In: root, Perm: 0o640}, "root with all": {In: root, Temp: "it.tmp", Perm: 0o604, Exact: true, Modified: modified},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "file")
			given := path
			if o.In != nil {
				given = "file"
			}
			if o.Temp != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, o.Temp), []byte("half of it"), 0o644))
			}
			for _, text := range []string{"one", "two"} {
				require.NoError(t, durable.Replace(given, []byte(text), o))
				require.Equal(t, text, read(t, path))
			}
			info, err := os.Stat(path)
			require.NoError(t, err)
			if !o.Modified.IsZero() {
				require.True(t, o.Modified.Equal(info.ModTime()), info.ModTime())
			}
			if runtime.GOOS != "windows" {
				want := o.Perm
				if want == 0 {
					want = 0o600
				}
				if !o.Exact {
					want &= info.Mode() // less the umask
				}
				require.Equal(t, want, info.Mode())
			}
			requireOnly(t, dir, "file")
			require.NoError(t, os.Remove(path))
		})
	}
}

// Whatever fails, the file is as it was and nothing is left over.
func TestReplaceFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, root.Close()) }()

	require.Error(t, durable.Replace(filepath.Join(dir, "absent", "file"), nil, durable.Options{}))
	require.Error(t, durable.Replace("../file", nil, durable.Options{In: root}), "a root is not left")
	errRename := errors.New("not today")
	require.ErrorIs(t, durable.Replace("file", []byte("new"), durable.Options{In: noRename{root, errRename}}), errRename)
	require.ErrorIs(t, durable.Replace("file", []byte("new"), durable.Options{In: noRename{root, errRename}, Modified: time.Now()}), errors.ErrUnsupported)
	require.Equal(t, "old", read(t, path))
	requireOnly(t, dir, "file")

	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.Error(t, durable.Replace(filepath.Join(dir, "folder"), nil, durable.Options{}))
	requireOnly(t, dir, "file", "folder")
}

type noRename struct {
	durable.FS
	err error
}

func (n noRename) Rename(string, string) error { return n.err }

func TestPending(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, temp := range []string{"", "x.tmp"} {
		p, err := durable.Write(path, []byte("new"), durable.Options{Temp: temp})
		require.NoError(t, err)
		require.NoFileExists(t, path)
		require.NoError(t, p.Discard())
		requireOnly(t, dir)
	}
	p, err := durable.Write(path, []byte("new"), durable.Options{})
	require.NoError(t, err)
	require.NoError(t, p.Commit())
	require.Equal(t, "new", read(t, path))
	requireOnly(t, dir, "file")
}

// Readers of a file that several replace see one of the texts, whole.
func TestReplaceAtOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	texts := map[string]bool{}
	var all sync.WaitGroup
	for i := range 4 {
		text := make([]byte, 10_000)
		for j := range text {
			text[j] = byte('a' + i)
		}
		texts[string(text)] = true
		require.NoError(t, durable.Replace(path, text, durable.Options{}))
		all.Go(func() {
			for range 10 {
				if err := durable.Replace(path, text, durable.Options{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 100 {
		require.True(t, texts[read(t, path)])
	}
	all.Wait()
	requireOnly(t, dir, "file")
}

func TestCreate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { errs[i] = durable.Create(path, []byte{byte('a' + i)}, durable.Options{}) })
	}
	all.Wait()
	made := 0
	for i, err := range errs {
		if err == nil {
			made++
			require.Equal(t, string([]byte{byte('a' + i)}), read(t, path))
		} else {
			require.ErrorIs(t, err, fs.ErrExist)
		}
	}
	require.Equal(t, 1, made)
	requireOnly(t, dir, "file")
}

func TestRewrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("neither modes nor links are common there")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	require.NoError(t, os.Symlink("file", link))
	require.ErrorContains(t, durable.Rewrite(link, []byte("x")), "the link leads to a file that is gone")
	require.NoError(t, durable.Rewrite(path, []byte("1")))
	require.NoError(t, os.Chmod(path, 0o606))
	require.NoError(t, durable.Rewrite(link, []byte("2")))
	require.Equal(t, "2", read(t, path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o606), info.Mode())
	info, err = os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
	requireOnly(t, dir, "file", "link")
	require.ErrorIs(t, durable.Rewrite(dir, []byte("x")), durable.ErrNotPlain)
	require.ErrorIs(t, durable.Rewrite(os.DevNull, []byte("x")), durable.ErrNotPlain)
	if os.Getuid() != 0 { // who may do everything
		require.NoError(t, os.Chmod(path, 0o400))
		require.ErrorIs(t, durable.Rewrite(path, []byte("x")), fs.ErrPermission)
	}
}

func TestMakeDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	require.NoError(t, durable.MakeDir(dir))
	require.NoError(t, durable.MakeDir(dir))
	require.NoError(t, durable.Replace(filepath.Join(dir, "file"), nil, durable.Options{}))
	require.Error(t, durable.MakeDir(filepath.Join(dir, "file", "c")))
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "sub", ".svc-tmp-dir"), 0o700))
	old := time.Now().Add(-25 * time.Hour)
	for _, name := range []string{".svc-tmp-A", "sub/.svc-tmp-B", "sub/kept", "sub/.svc-tmp-dir/kept"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		require.NoError(t, os.Chtimes(path, old, old))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".svc-tmp-young"), nil, 0o600))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, durable.Sweep(ended, dir), context.Canceled)
	require.FileExists(t, filepath.Join(dir, ".svc-tmp-A"))

	require.NoError(t, durable.Sweep(t.Context(), dir))
	requireOnly(t, dir, ".svc-tmp-young", "sub")
	requireOnly(t, filepath.Join(dir, "sub"), ".svc-tmp-dir", "kept")
	requireOnly(t, filepath.Join(dir, "sub", ".svc-tmp-dir"), "kept")
	require.NoError(t, durable.Sweep(t.Context(), filepath.Join(dir, "absent")))
}

func TestIsTemp(t *testing.T) {
	for name, want := range map[string]bool{".svc-tmp-": true, ".svc-tmp-X": true, ".SVC-Tmp-x": true, ".svc-tmp": false, "svc-tmp-x": false, "": false} {
		require.Equal(t, want, durable.IsTemp(name), name)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func requireOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	found := []string{}
	for _, e := range entries {
		found = append(found, e.Name())
	}
	require.ElementsMatch(t, names, found)
}
