//go:build unix

package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/enginetest/trials"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

// The test binary runs itself as another process: what it should do, in which
// directory, and under which name.
const (
	envRole = "SVC_STORE_TEST_ROLE"
	envDir  = "SVC_STORE_TEST_DIR"
	envName = "SVC_STORE_TEST_NAME"
)

func TestMain(m *testing.M) {
	onStore := func(role func(*store.FileStore, string) error) func(string, string) error {
		return func(dir, name string) error { return role(store.File(dir), name) }
	}
	roles := map[string]func(dir, name string) error{
		"count": onStore(countUp), "share": onStore(shareSaves), "fill": onStore(fillDisk), "run": startRuns, "state": countState,
	}
	role, ok := roles[os.Getenv(envRole)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(os.Getenv(envDir), os.Getenv(envName)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type child struct {
	cmd    *exec.Cmd
	stdout *bufio.Scanner
}

func start(t *testing.T, role, dir, name string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), envRole+"="+role, envDir+"="+dir, envName+"="+name)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	return &child{cmd, bufio.NewScanner(stdout)}
}

// number reads the next number that the child prints.
func (c *child) number() (int, bool) {
	if !c.stdout.Scan() {
		return 0, false
	}
	n, err := strconv.Atoi(c.stdout.Text())
	return n, err == nil
}

// countUp saves without end, so that revision n is called n, and prints each n
// that was saved.
func countUp(s *store.FileStore, _ string) error {
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

// Whenever a process is killed, all that it has acknowledged is there, nothing is
// torn, and the next process goes on as if nothing had happened.
func TestKilledWhileSaving(t *testing.T) {
	dir, random := t.TempDir(), trials.Random(t)
	for range trials.Count(t, trials.Kills, 20) {
		c := start(t, "count", dir, "")
		last := 0
		for range 1 + random.IntN(4) {
			n, ok := c.number()
			require.True(t, ok)
			last = n
		}
		for _, line := range c.killSoon(t, random) {
			n, err := strconv.Atoi(line)
			require.NoError(t, err)
			last = n
		}
		checkAfterKill(t, dir, last)
	}
}

// killSoon kills the child at a random moment, and returns the lines that it has
// printed since.
func (c *child) killSoon(t *testing.T, random *rand.Rand) []string {
	t.Helper()
	<-time.After(time.Duration(random.IntN(3000)) * time.Microsecond)
	require.NoError(t, c.cmd.Process.Kill())
	var lines []string
	for c.stdout.Scan() {
		lines = append(lines, c.stdout.Text())
	}
	require.Error(t, c.cmd.Wait())
	return lines
}

func checkAfterKill(t *testing.T, dir string, last int) {
	t.Helper()
	s := store.File(dir)
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

// shareSaves saves to a workflow that others save to, and prints its revisions.
func shareSaves(s *store.FileStore, name string) error {
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
	s := store.File(dir)
	children := []*child{start(t, "share", dir, "a"), start(t, "share", dir, "b")}
	seen := map[int]bool{}
	for range sharedSaves {
		for _, c := range children {
			n, ok := c.number()
			require.True(t, ok)
			require.False(t, seen[n], "revision %d was given twice", n)
			seen[n] = true
			_, err := s.Load(t.Context(), "shared")
			require.NoError(t, err)
			list(t, s)
		}
	}
	for _, c := range children {
		require.NoError(t, c.cmd.Wait())
	}
	require.Len(t, seen, 2*sharedSaves)
	metas := list(t, s)
	require.Len(t, metas, 7)
	require.Equal(t, 2*sharedSaves, metas[6].Revision)
}

// fillDisk saves a workflow for which the system has no room.
func fillDisk(s *store.FileStore, _ string) error {
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

// A file that may not grow fails at the same place as a disk that is full.
func TestNoRoom(t *testing.T) {
	dir := t.TempDir()
	s := store.File(dir)
	before := save(t, s, "w", "one")
	require.NoError(t, start(t, "fill", dir, "").cmd.Wait())

	require.Equal(t, []workflow.Meta{before}, list(t, store.File(dir)))
	require.NoFileExists(t, filepath.Join(dir, ".save.tmp"))
	require.Equal(t, 2, save(t, s, "w", "two").Revision)
}
