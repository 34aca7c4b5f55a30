//go:build unix

package filestore_test

import (
	"context"
	"errors"
	"fmt"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/internal/selfexec"
	"github.com/svcflow/svc/store/storetest"
)

func TestMain(m *testing.M) {
	role := func(run func(s *filestore.Store, name string) error) func(dir, name string) error {
		return func(dir, name string) error { return run(filestore.Open(dir), name) }
	}
	selfexec.Main(m, map[string]func(dir, name string) error{"count": role(countUp), "share": role(shareSaves), "fill": role(fillDisk)})
}

// countUp saves revisions until it is killed. Revision n is named n, and n is printed once it is
// saved.
func countUp(s *filestore.Store, _ string) error {
	n := 0
	if metas, err := workflow.All(context.Background(), s.List); err != nil {
		return err
	} else if len(metas) > 0 {
		n = metas[0].Revision
	}
	for {
		n++
		meta, err := s.Save(context.Background(), storetest.Definition("w", strconv.Itoa(n)))
		if err != nil || meta.Revision != n {
			return fmt.Errorf("save %d: %+v: %w", n, meta, err)
		}
		fmt.Println(n)
	}
}

// TestKilledWhileSaving kills a process at random times. Everything that it acknowledged is there,
// no file is torn, and the next process can save.
func TestKilledWhileSaving(t *testing.T) {
	dir, random := t.TempDir(), trials.Random(t)
	for range trials.Count(t, trials.Kills, 20) {
		c := selfexec.Start(t, "count", dir, "")
		last := 0
		for range 1 + random.IntN(4) {
			n, ok := c.Number()
			require.True(t, ok)
			last = n
		}
		for _, line := range c.KillSoon(t, random) {
			n, err := strconv.Atoi(line)
			require.NoError(t, err)
			last = n
		}
		checkAfterKill(t, dir, last)
	}
}

func checkAfterKill(t *testing.T, dir string, last int) {
	t.Helper()
	s := filestore.Open(dir)
	onlyFile(t, dir)
	metas, err := s.Revisions(t.Context(), "w")
	require.NoError(t, err)
	newest := metas[0].Revision
	require.Contains(t, []int{last, last + 1}, newest, "the last one may have been saved without saying so")
	require.LessOrEqual(t, len(metas), 102, "one more than usual if it died before it could remove it")
	for i, meta := range metas {
		want := newest - i
		if i == len(metas)-1 {
			want = 1
		}
		require.Equal(t, want, meta.Revision)
		def, err := s.LoadRevision(t.Context(), "w", want)
		require.NoError(t, err)
		require.Equal(t, storetest.Definition("w", strconv.Itoa(want)).Format(), def.Format())
	}
}

const sharedSaves = 50

// shareSaves saves to a workflow that other processes save to, and prints its revisions.
func shareSaves(s *filestore.Store, name string) error {
	for n := range sharedSaves {
		meta, err := s.Save(context.Background(), storetest.Definition("shared", fmt.Sprint(name, n)))
		if err != nil {
			return err
		}
		if _, err := s.Save(context.Background(), storetest.Definition(fmt.Sprint(name, n%3), fmt.Sprint(n))); err != nil {
			return err
		}
		fmt.Println(meta.Revision)
	}
	return nil
}

func TestSeveralProcesses(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	children := []*selfexec.Process{selfexec.Start(t, "share", dir, "a"), selfexec.Start(t, "share", dir, "b")}
	seen := map[int]bool{}
	for range sharedSaves {
		for _, c := range children {
			n, ok := c.Number()
			require.True(t, ok)
			require.False(t, seen[n], "revision %d was given twice", n)
			seen[n] = true
			_, err := s.Load(t.Context(), "shared")
			require.NoError(t, err)
			list(t, s)
		}
	}
	for _, c := range children {
		require.NoError(t, c.Wait())
	}
	require.Len(t, seen, 2*sharedSaves)
	metas := list(t, s)
	require.Len(t, metas, 7)
	require.Equal(t, 2*sharedSaves, metas[6].Revision)
}

// fillDisk saves a workflow that exceeds the file size limit.
func fillDisk(s *filestore.Store, _ string) error {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}); err != nil {
		return err
	}
	def := storetest.Definition("w", strings.Repeat("too big ", 1<<17))
	if _, err := s.Save(context.Background(), def); !errors.Is(err, syscall.EFBIG) {
		return fmt.Errorf("the cause is lost: %w", err)
	}
	return nil
}

// TestNoRoom uses a file size limit, which fails at the same call as a full disk.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	before := save(t, s, "w", "one")
	require.NoError(t, selfexec.Start(t, "fill", dir, "").Wait())

	require.Equal(t, []workflow.Meta{before}, list(t, filestore.Open(dir)))
	require.NoFileExists(t, filepath.Join(dir, ".save.tmp"))
	require.Equal(t, 2, save(t, s, "w", "two").Revision)
}
