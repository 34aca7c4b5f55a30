package statelog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
)

// together runs several operations concurrently, in one batch and in this order.
func together(s *Store, asks ...func()) {
	var all sync.WaitGroup
	s.group.lead <- struct{}{}
	for i, ask := range asks {
		all.Go(ask)
		for waiting := 0; waiting <= i; runtime.Gosched() {
			s.group.mu.Lock()
			waiting = len(s.group.waiting)
			s.group.mu.Unlock()
		}
	}
	<-s.group.lead
	all.Wait()
}

func setTo(s *Store, ctx context.Context, key, text string) error {
	_, err := s.ChangeState(ctx, store.StateKey{Key: key}, func(store.StateValue) (store.StateValue, error) { return store.StateValue{Value: []byte(text)}, nil })
	return err
}

// TestStateThatCannotBeWritten checks that a failed write fails the operations that made changes.
// Those that only read, or were refused because of the lost changes, run again.
func TestStateThatCannotBeWritten(t *testing.T) {
	d := vfstest.NewPower()
	s := OpenState(t.TempDir(), d)
	key := store.StateKey{Key: "a"}
	require.NoError(t, setTo(s, t.Context(), "a", "1"))
	conflict := errors.New("conflict")
	ifOne := func(now store.StateValue) (store.StateValue, error) {
		if string(now.Value) != "1" {
			return store.StateValue{}, conflict
		}
		return store.StateValue{Value: []byte("3")}, nil
	}
	var first, seen store.StateValue
	var wrote, changed error
	d.Still(func() { d.Fails = 1 })
	together(
		s,
		func() { first, _ = s.State(t.Context(), key) },
		func() { wrote = setTo(s, t.Context(), "a", "2") },
		func() { seen, _ = s.State(t.Context(), key) },
		func() { _, changed = s.ChangeState(t.Context(), key, ifOne) },
	)
	require.Equal(t, "1", string(first.Value))
	require.ErrorIs(t, wrote, syscall.EIO)
	require.Equal(t, "1", string(seen.Value))
	require.NoError(t, changed)
	now, err := s.State(t.Context(), key)
	require.NoError(t, err)
	require.Equal(t, "3", string(now.Value))
}

// TestStateOfOthers checks that operations that fail, panic or are cancelled do not affect others
// in their batch.
func TestStateOfOthers(t *testing.T) {
	s := OpenState(t.TempDir(), vfstest.NewPower())
	ended, cancel := context.WithCancel(t.Context())
	refused := errors.New("refused")
	errs := make([]error, 4)
	var panicked any
	together(
		s,
		func() { errs[0] = setTo(s, t.Context(), "a", "1") },
		func() {
			defer func() { panicked = recover() }()
			_, _ = s.ChangeState(t.Context(), store.StateKey{Key: "b"}, func(store.StateValue) (store.StateValue, error) { panic("mine") })
		},
		func() {
			_, errs[1] = s.ChangeState(t.Context(), store.StateKey{Key: "c"}, func(store.StateValue) (store.StateValue, error) { return store.StateValue{}, refused })
		},
		func() { errs[2] = setTo(s, t.Context(), "d", "not JSON") },
		func() { errs[3] = setTo(s, t.Context(), "e", "2") },
	)
	require.NoError(t, errs[0])
	require.Equal(t, "mine", panicked)
	require.ErrorIs(t, errs[1], refused)
	require.Error(t, errs[2])
	require.NoError(t, errs[3])
	page, _, err := s.States(t.Context(), "", "", 1<<20)
	require.NoError(t, err)
	require.Len(t, page, 2)

	var left error
	s.group.lead <- struct{}{}
	var one sync.WaitGroup
	one.Go(func() { left = setTo(s, ended, "f", "3") })
	cancel()
	one.Wait() // returns although there is no leader
	<-s.group.lead
	require.ErrorIs(t, left, context.Canceled)
	v, err := s.State(t.Context(), store.StateKey{Key: "f"})
	require.NoError(t, err)
	require.Zero(t, v)
}

// TestDamagedState checks that damage affects only the lines it is in.
func TestDamagedState(t *testing.T) {
	dir := t.TempDir()
	for n := range 6 {
		require.NoError(t, setTo(Open(dir), t.Context(), fmt.Sprint("k", n), `"old"`))
	}
	first := Open(dir)
	_, err := first.State(t.Context(), store.StateKey{Key: "k0"})
	require.NoError(t, err)
	require.NoError(t, first.log.rewrite())
	for n := range 6 {
		require.NoError(t, setTo(Open(dir), t.Context(), fmt.Sprint("k", n), `"new"`))
	}
	whole, err := os.ReadFile(filepath.Join(dir, stateName))
	require.NoError(t, err)
	lines := strings.SplitAfter(string(whole), "\n")
	for at := range len(lines) - 3 { // the last change may not have been acknowledged
		damaged := strings.Join(lines[:at], "") + "x" + lines[at][1:] + strings.Join(lines[at+1:], "")
		require.NoError(t, os.WriteFile(filepath.Join(dir, stateName), []byte(damaged), 0o600))
		s := Open(dir)
		page, _, err := s.States(t.Context(), "", "", 1<<20)
		require.NoError(t, err)
		require.Len(t, page, 6, "line %d: %s", at, lines[at])
		require.NoError(t, setTo(s, t.Context(), "more", "1"))
		again, _, err := Open(dir).States(t.Context(), "", "", 1<<20)
		require.NoError(t, err)
		require.Len(t, again, 7, "line %d: %s", at, lines[at])
	}
}
