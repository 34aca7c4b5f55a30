package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/store"
)

// State tests stores of state. newStore returns a function that opens a store for one test. Stores
// opened before stay open, as if in other processes.
func State(t *testing.T, newStore func(t *testing.T) (open func() store.StateStore)) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, func() store.StateStore)
	}{
		{"life of a value", testStateValue},
		{"keys", testStateKeys},
		{"pages of values", testStatePages},
		{"values end", testStateUntil},
		{"changes come one after the other", testStateTogether},
		{"bounds", testStateBounds},
		{"seen items", testStateSeen},
		{"lent items", testStateLent},
		{"items that were there long ago", testStateKeep},
		{"forgetting a workflow", testStateForget},
		{"done contexts", testStateContexts},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore(t)) })
	}
}

// put sets the value of a key.
func put(t *testing.T, s store.StateStore, key store.StateKey, text string) store.StateValue {
	t.Helper()
	v, err := s.ChangeState(t.Context(), key, func(store.StateValue) (store.StateValue, error) {
		return store.StateValue{Value: []byte(text)}, nil
	})
	require.NoError(t, err)
	return v
}

// get returns the value of a key.
func get(t *testing.T, s store.StateStore, key store.StateKey) store.StateValue {
	t.Helper()
	v, err := s.State(t.Context(), key)
	require.NoError(t, err)
	return v
}

func remove(store.StateValue) (store.StateValue, error) { return store.StateValue{}, nil }

func testStateValue(t *testing.T, open func() store.StateStore) {
	s, key := open(), store.StateKey{WorkflowID: "w", Key: "k"}
	require.Zero(t, get(t, s, key))
	_, err := s.ChangeState(t.Context(), key, remove)
	require.NoError(t, err)
	first := put(t, s, key, `{"a":"<1>"}`)
	second := put(t, s, key, "null")
	require.Positive(t, first.Revision)
	require.Greater(t, second.Revision, first.Revision)
	for _, s := range []store.StateStore{s, open()} {
		require.Equal(t, second, get(t, s, key))
	}
	third := put(t, open(), key, `{"a":"<1>"}`)
	require.Equal(t, `{"a":"<1>"}`, string(get(t, open(), key).Value))
	require.Equal(t, third, get(t, s, key), "what another has changed")

	refused := errors.New("refused")
	_, err = s.ChangeState(t.Context(), key, func(now store.StateValue) (store.StateValue, error) {
		require.Equal(t, third, now)
		return store.StateValue{}, refused
	})
	require.ErrorIs(t, err, refused)
	require.Equal(t, third, get(t, s, key))
	_, err = s.ChangeState(t.Context(), key, remove)
	require.NoError(t, err)
	require.Zero(t, get(t, open(), key))
	require.Greater(t, put(t, open(), key, "1").Revision, third.Revision, "no value has the revision of another")
}

func testStateKeys(t *testing.T, open func() store.StateStore) {
	s := open()
	keys := []store.StateKey{{WorkflowID: "a", Key: "b"}, {Key: "b"}, {WorkflowID: "a/b", Key: "../c"}, {WorkflowID: "a", Key: "b/../c"}, {WorkflowID: "ä\"", Key: "é \\ <"}}
	for i, key := range keys {
		put(t, s, key, strconv.Itoa(i))
	}
	for i, key := range keys {
		require.Equal(t, strconv.Itoa(i), string(get(t, open(), key).Value))
	}
	for _, key := range []string{"", ".", "..", "a\n", "\xff", strings.Repeat("x", 201)} {
		_, err := s.ChangeState(t.Context(), store.StateKey{Key: key}, func(store.StateValue) (store.StateValue, error) {
			return store.StateValue{Value: []byte("1")}, nil
		})
		require.ErrorIs(t, err, store.ErrStateKey, "%q", key)
		_, err = s.Lend(t.Context(), store.StateKey{Key: key}, store.Lent{Items: []string{"a"}})
		require.ErrorIs(t, err, store.ErrStateKey, "%q", key)
	}
}

func testStatePages(t *testing.T, open func() store.StateStore) {
	s := open()
	read := func(workflowID string, maxBytes int) (keys []string, pages int) {
		for after, more := "", true; more; pages++ {
			var page []store.KeyedState
			var err error
			page, more, err = open().States(t.Context(), workflowID, after, maxBytes)
			require.NoError(t, err)
			for _, v := range page {
				require.Equal(t, get(t, s, store.StateKey{WorkflowID: workflowID, Key: v.Key}), v.StateValue)
				keys, after = append(keys, v.Key), v.Key
			}
		}
		return keys, pages
	}
	keys, pages := read("w", 1000)
	require.Empty(t, keys)
	require.Equal(t, 1, pages)
	for _, key := range []string{"c", "a", "ä", "b"} {
		put(t, s, store.StateKey{WorkflowID: "w", Key: key}, "1")
		put(t, s, store.StateKey{Key: key + "-shared"}, "2")
	}
	put(t, s, store.StateKey{WorkflowID: "other", Key: "d"}, "3")
	_, err := s.ChangeState(t.Context(), store.StateKey{WorkflowID: "w", Key: "gone"}, func(store.StateValue) (store.StateValue, error) {
		return store.StateValue{Value: []byte("1"), Until: time.Now().Add(-time.Second)}, nil
	})
	require.NoError(t, err)
	for maxBytes, want := range map[int]int{1: 4, 1 << 20: 1} {
		keys, pages = read("w", maxBytes)
		require.Equal(t, []string{"a", "b", "c", "ä"}, keys)
		require.Equal(t, want, pages)
	}
	keys, _ = read("", 1<<20)
	require.Equal(t, []string{"a-shared", "b-shared", "c-shared", "ä-shared"}, keys)
}

func testStateUntil(t *testing.T, open func() store.StateStore) {
	synctest.Test(t, func(t *testing.T) {
		s, key := open(), store.StateKey{Key: "k"}
		until := time.Now().Add(time.Hour)
		v, err := s.ChangeState(t.Context(), key, func(store.StateValue) (store.StateValue, error) {
			return store.StateValue{Value: []byte("1"), Until: until}, nil
		})
		require.NoError(t, err)
		require.True(t, v.Until.Equal(until))
		<-time.After(time.Hour - time.Second)
		require.True(t, get(t, open(), key).Until.Equal(until))
		<-time.After(time.Second)
		for _, s := range []store.StateStore{s, open()} {
			require.Zero(t, get(t, s, key))
		}
		_, err = s.ChangeState(t.Context(), key, func(now store.StateValue) (store.StateValue, error) {
			require.Zero(t, now)
			return store.StateValue{Value: []byte("2")}, nil
		})
		require.NoError(t, err)
		require.Equal(t, "2", string(get(t, open(), key).Value))
	})
}

func testStateTogether(t *testing.T, open func() store.StateStore) {
	key := store.StateKey{WorkflowID: "w", Key: "n"}
	var wg sync.WaitGroup
	for range 4 {
		s := open()
		for range 2 {
			wg.Go(func() {
				for range 10 {
					_, err := s.ChangeState(t.Context(), key, func(now store.StateValue) (store.StateValue, error) {
						n, _ := strconv.Atoi(string(now.Value))
						return store.StateValue{Value: strconv.AppendInt(nil, int64(n)+1, 10)}, nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	require.Equal(t, "80", string(get(t, open(), key).Value))
}

func testStateBounds(t *testing.T, open func() store.StateStore) {
	s := open()
	large := append(append([]byte{'"'}, bytes.Repeat([]byte{'x'}, limit.StateValue-2)...), '"')
	write := func(key string, text []byte) error {
		_, err := s.ChangeState(t.Context(), store.StateKey{Key: key}, func(store.StateValue) (store.StateValue, error) {
			return store.StateValue{Value: text}, nil
		})
		return err
	}
	require.ErrorIs(t, write("k", append(large, ' ')), store.ErrStateValue)
	n := 0
	for ; n <= limit.StateBytes/limit.StateValue; n++ {
		if err := write(fmt.Sprint("k", n), large); err != nil {
			require.ErrorIs(t, err, store.ErrStateFull)
			break
		}
	}
	require.Equal(t, limit.StateBytes/(limit.StateValue+100), n)
	require.NoError(t, write("k0", nil), "deleting makes room")
	require.NoError(t, write("k", large))
	_, err := s.Lend(t.Context(), store.StateKey{Key: "k"}, store.Lent{Items: []string{strings.Repeat("i", limit.StateValue)}})
	require.ErrorIs(t, err, store.ErrStateFull)
	require.Equal(t, large, get(t, open(), store.StateKey{Key: "k"}).Value)
}

func lend(t *testing.T, s store.StateStore, key, holder string, keep int, items ...string) (isNew []string) {
	t.Helper()
	told, err := s.Lend(t.Context(), store.StateKey{WorkflowID: "w", Key: key}, store.Lent{Items: items, Keep: keep, Holder: holder})
	require.NoError(t, err)
	require.Len(t, told, len(items))
	for i, item := range items {
		if told[i] {
			isNew = append(isNew, item)
		}
	}
	return isNew
}

func testStateSeen(t *testing.T, open func() store.StateStore) {
	s := open()
	require.Equal(t, []string{"a", "b"}, lend(t, s, "k", "", 10, "a", "b", "a"))
	require.Empty(t, lend(t, open(), "k", "", 10, "b", "a"))
	require.Equal(t, []string{"c"}, lend(t, s, "k", "", 10, "c", "a"))
	require.Equal(t, []string{"a"}, lend(t, s, "another", "", 10, "a"))
}

func testStateLent(t *testing.T, open func() store.StateStore) {
	synctest.Test(t, func(t *testing.T) {
		s := open()
		require.Equal(t, []string{"a", "b"}, lend(t, s, "k", "one", 10, "a", "b"))
		require.Equal(t, []string{"b", "c"}, lend(t, open(), "k", "one", 10, "b", "c"), "what it has borrowed is new for it")
		require.Equal(t, []string{"d"}, lend(t, open(), "k", "two", 10, "a", "b", "c", "d"))
		require.NoError(t, open().Settle(t.Context(), "two", false))
		require.Equal(t, []string{"d"}, lend(t, s, "k", "three", 10, "a", "d"))
		require.NoError(t, s.Relend(t.Context(), "two"))
		require.NoError(t, s.Settle(t.Context(), "three", false))
		require.Empty(t, lend(t, open(), "k", "four", 10, "a", "d"))
		require.NoError(t, s.Settle(t.Context(), "one", true))
		require.NoError(t, s.Settle(t.Context(), "one", false), "of nothing")
		require.NoError(t, s.Settle(t.Context(), "two", true))
		require.Equal(t, []string{"e"}, lend(t, open(), "k", "", 10, "a", "b", "c", "d", "e"))

		require.Equal(t, []string{"f"}, lend(t, s, "k", "lost", 10, "f"))
		<-time.After(store.LentFor)
		require.Empty(t, lend(t, s, "k", "four", 10, "f"))
		<-time.After(time.Second)
		require.Equal(t, []string{"f"}, lend(t, open(), "k", "four", 10, "f"), "nobody has settled")
	})
}

func testStateKeep(t *testing.T, open func() store.StateStore) {
	s := open()
	require.Len(t, lend(t, s, "k", "", 3, "a", "b", "c"), 3)
	require.Equal(t, []string{"d"}, lend(t, s, "k", "", 3, "a", "d"), "a is still there")
	require.Equal(t, []string{"b"}, lend(t, open(), "k", "run", 3, "a", "c", "d", "b"))
	require.NoError(t, open().Settle(t.Context(), "run", true))
	require.Empty(t, lend(t, open(), "k", "", 3, "a", "c", "d", "b"), "no fewer than there are items")
}

func testStateForget(t *testing.T, open func() store.StateStore) {
	s := open()
	require.NoError(t, s.ForgetState(t.Context(), "w"))
	kept := []store.StateKey{{Key: "k"}, {WorkflowID: "v", Key: "k"}}
	for _, key := range append(kept, store.StateKey{WorkflowID: "w", Key: "k"}) {
		put(t, s, key, "1")
	}
	lend(t, s, "seen", "", 10, "a")
	lend(t, s, "lent", "run", 10, "a")
	require.NoError(t, s.ForgetState(t.Context(), ""))
	require.NoError(t, open().ForgetState(t.Context(), "w"))
	require.NoError(t, s.Settle(t.Context(), "run", true))
	require.Zero(t, get(t, s, store.StateKey{WorkflowID: "w", Key: "k"}))
	require.NotEmpty(t, lend(t, open(), "seen", "", 10, "a"))
	require.NotEmpty(t, lend(t, open(), "lent", "", 10, "a"))
	for _, key := range kept {
		require.Equal(t, "1", string(get(t, open(), key).Value))
	}
}

func testStateContexts(t *testing.T, open func() store.StateStore) {
	s := open()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	key := store.StateKey{Key: "k"}
	_, err := s.State(ctx, key)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.ChangeState(ctx, key, func(store.StateValue) (store.StateValue, error) { return store.StateValue{Value: []byte("1")}, nil })
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Lend(ctx, key, store.Lent{Items: []string{"a"}})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, s.Settle(ctx, "run", true), context.Canceled)
	require.ErrorIs(t, s.Relend(ctx, "run"), context.Canceled)
	require.ErrorIs(t, s.ForgetState(ctx, "w"), context.Canceled)
	require.Zero(t, get(t, s, key))
}
