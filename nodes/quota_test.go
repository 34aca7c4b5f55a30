package nodes_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/durable"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes"
	"github.com/svcflow/svc/nodes/folder"
	ionode "github.com/svcflow/svc/nodes/io"
)

// quotaFiles returns the files of a sandbox with a quota for bytes and entries.
func quotaFiles(t *testing.T, dir string, bytes int64, entries int) (ionode.Files, *nodes.Quota) {
	t.Helper()
	q := nodes.NewQuota(bytes, entries)
	env, err := nodes.Sandbox(nodes.Policy{FilesDir: dir, Quota: q})
	require.NoError(t, err)
	return env.Files, q
}

func replace(files ionode.Files, name string, bytes int) error {
	return durable.Replace(name, make([]byte, bytes), durable.Options{In: files})
}

// full requires that err reports an exceeded quota, with the given number.
func full(t *testing.T, err error, number string) {
	t.Helper()
	require.Equal(t, node.CodeStorageFull, node.CodeOf(err), "%v", err)
	require.ErrorContains(t, err, number)
}

func TestQuotaHasRoomMade(t *testing.T) {
	files, _ := quotaFiles(t, t.TempDir(), 1000, 3)
	require.NoError(t, replace(files, "old-a", 400))
	require.NoError(t, replace(files, "old-b", 400))
	old := []string{"old-a", "old-b"}
	files.(folder.Shared).WhenFull(func() bool {
		if len(old) == 0 {
			return false
		}
		require.NoError(t, files.Remove(old[0]))
		old = old[1:]
		return true
	})
	full(t, replace(files, "c", 1001), "1000 bytes")
	require.Len(t, old, 2, "there would be no room anyway")
	require.NoError(t, replace(files, "c", 300))
	require.Len(t, old, 1, "and no more than that")
	require.NoError(t, replace(files, "d", 100))
	require.Len(t, old, 1)
	require.NoError(t, files.MkdirAll("e", 0o755), "folders and files count, too")
	require.Empty(t, old)
	full(t, replace(files, "f", 1), "3 files and folders")
}

func TestQuotaOfBytes(t *testing.T) {
	files, _ := quotaFiles(t, t.TempDir(), 1000, 0)
	require.NoError(t, files.MkdirAll(".", 0o755))
	require.NoError(t, replace(files, "a", 600))
	full(t, replace(files, "b", 500), "1000 bytes")
	require.NoError(t, replace(files, "b", 400))
	full(t, replace(files, "a", 600), "1000 bytes") // the old file exists until it is replaced
	require.NoError(t, files.Remove("b"))
	require.NoError(t, replace(files, "a", 300))
	require.NoError(t, replace(files, "b", 700), "what was replaced is free again")

	f, err := files.OpenFile("a", os.O_WRONLY|os.O_TRUNC, 0)
	require.NoError(t, err)
	_, err = files.Writer(f).Write(make([]byte, 300))
	require.NoError(t, err, "so is what was cut off")
	_, err = files.Writer(f).Write([]byte("x"))
	full(t, err, "1000 bytes")
	require.NoError(t, f.Close())
}

func TestQuotaOfEntries(t *testing.T) {
	dir := t.TempDir()
	files, _ := quotaFiles(t, dir, 0, 10)
	require.NoError(t, files.MkdirAll("a/b/c", 0o755))
	require.NoError(t, files.MkdirAll("a/b/c", 0o755), "they are there already")
	full(t, files.MkdirAll("1/2/3/4/5/6/7/8", 0o755), "10 files and folders")
	require.NoDirExists(t, filepath.Join(dir, "1"))
	for i := range 6 {
		require.NoError(t, replace(files, fmt.Sprint("a/", i), 1))
	}
	require.NoError(t, replace(files, "a/last", 1))
	full(t, replace(files, "a/more", 1), "10 files and folders")
	require.NoError(t, files.Remove("a/last"))
	require.NoError(t, replace(files, "a/0", 1), "the new one has to have a place beside the old one")
}

func TestQuotaOfPaths(t *testing.T) {
	files, _ := quotaFiles(t, t.TempDir(), 0, 0)
	_, err := files.Clean(strings.Repeat("d/", limit.FilesDepth-1) + "f")
	require.NoError(t, err)
	for _, name := range []string{strings.Repeat("d/", limit.FilesDepth) + "f", strings.Repeat("x", limit.FilesPath+1)} {
		_, err = files.Clean(name)
		require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
		require.True(t, node.IsPermanent(err))
	}
}

// Existing files count, and files that users delete stop counting.
func TestQuotaCountsWhatIsThere(t *testing.T) {
	dir := t.TempDir()
	old := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC) // earlier than the synctest clock
	for i := range 9 {
		name := filepath.Join(dir, fmt.Sprint(i))
		require.NoError(t, os.WriteFile(name, make([]byte, 100), 0o600))
		require.NoError(t, os.Chtimes(name, old, old))
	}
	synctest.Test(t, func(t *testing.T) {
		files, q := quotaFiles(t, dir, 1000, 0)
		stop := q.Watch(dir)
		defer stop()
		synctest.Wait()
		require.NoError(t, replace(files, "new", 50))
		full(t, replace(files, "more", 200), "1000 bytes")
		require.NoError(t, os.Remove(filepath.Join(dir, "0")))
		require.NoError(t, os.Remove(filepath.Join(dir, "1")))
		<-time.After(time.Minute)
		synctest.Wait()
		require.NoError(t, replace(files, "more", 200))
	})
}

// The counted numbers are right even if files are created, grown, replaced and removed
// during the count.
func TestQuotaCountsBesideChanges(t *testing.T) {
	dir := t.TempDir()
	files, q := quotaFiles(t, dir, 1<<30, 0)
	require.NoError(t, replace(files, "grows", 100_000))
	for i := range 50 {
		require.NoError(t, replace(files, fmt.Sprint("old", i), 1000))
	}
	ctx, stop := context.WithCancel(t.Context())
	var working, counting sync.WaitGroup
	for range 2 {
		counting.Go(func() {
			for ctx.Err() == nil {
				q.Count(ctx, dir)
			}
		})
	}
	working.Go(func() {
		f, err := files.OpenFile("grows", os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for range 500 {
			_, err = files.Writer(f).Write([]byte("x"))
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Error(err)
		}
	})
	working.Go(func() {
		for i := range 50 {
			name := fmt.Sprint("old", i)
			if err := errors.Join(replace(files, "other", 10_000+i), files.Remove(name), files.MkdirAll(name, 0o755)); err != nil {
				t.Error(err)
			}
		}
	})
	working.Wait()
	stop()
	counting.Wait()
	counted, entries := q.Used()
	bytes, there := int64(0), int64(0)
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		info, err := e.Info()
		if there++; err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return err
	}))
	require.Equal(t, []int64{bytes, there}, []int64{counted, entries}, "bytes and entries")
}
