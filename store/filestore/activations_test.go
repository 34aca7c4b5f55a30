package filestore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/storetest"
)

func TestActivations(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		storetest.Activations(t, func(t *testing.T) func() store.ActivationStore {
			dir := filepath.Join(t.TempDir(), "triggers")
			return func() store.ActivationStore { return filestore.OpenActivations(dir) }
		})
	})
}

// TestDamagedActivations checks that a damaged file does not hide other activations.
func TestDamagedActivations(t *testing.T) {
	dir := t.TempDir()
	s := filestore.OpenActivations(dir)
	require.NoError(t, s.Activate(t.Context(), store.Activation{Definition: storetest.Definition("a", "a")}))
	require.NoError(t, s.Activate(t.Context(), store.Activation{Definition: storetest.Definition("b", "b")}))
	files, err := filepath.Glob(filepath.Join(dir, "a-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	for _, text := range []string{"", "{", `{"definition":{"id":"a"}}`} {
		require.NoError(t, os.WriteFile(files[0], []byte(text), 0o600))
		var whole []string
		var damage error
		for a, err := range s.Activations(t.Context()) {
			if damage = errors.Join(damage, err); err == nil {
				whole = append(whole, a.Definition.ID)
			}
		}
		require.ErrorContains(t, damage, "a-", "%q", text)
		require.Equal(t, []string{"b"}, whole)
	}
}

// TestWhatTriggersRememberAfterACrash truncates the log at every byte, as a crash might.
func TestWhatTriggersRememberAfterACrash(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "memory.log")
	remember := func(s store.ActivationStore, node, memory string) {
		require.NoError(t, s.Remember(t.Context(), store.TriggerMemory{WorkflowID: "w", NodeID: node, Memory: []byte(memory)}))
	}
	s := filestore.OpenActivations(dir)
	remember(s, "a", `{"n":1}`)
	whole, err := os.ReadFile(log)
	require.NoError(t, err)
	remember(s, "a", `{"n":2}`)
	both, err := os.ReadFile(log)
	require.NoError(t, err)
	for size := len(whole); size <= len(both); size++ {
		require.NoError(t, os.WriteFile(log, both[:size], 0o600))
		want := `{"n":1}`
		if size == len(both) {
			want = `{"n":2}`
		}
		s := filestore.OpenActivations(dir)
		memory, err := s.Memory(t.Context(), "w", "a")
		require.NoError(t, err)
		require.Equal(t, want, string(memory), "%d bytes", size)
		remember(s, "b", `{"n":3}`)
		for node, want := range map[string]string{"a": want, "b": `{"n":3}`} {
			memory, err = filestore.OpenActivations(dir).Memory(t.Context(), "w", node)
			require.NoError(t, err)
			require.Equal(t, want, string(memory), "%d bytes", size)
		}
	}
}

// TestTheLogOfTriggersStaysSmall writes far more than is live.
func TestTheLogOfTriggersStaysSmall(t *testing.T) {
	dir := t.TempDir()
	s := filestore.OpenActivations(dir)
	padding := strings.Repeat("x", 32<<10)
	for i := range 200 {
		require.NoError(t, s.Remember(t.Context(),
			store.TriggerMemory{WorkflowID: "w", NodeID: "a", Memory: fmt.Appendf(nil, `{"n":%d,"padding":%q}`, i, padding)},
			store.TriggerMemory{WorkflowID: "w", NodeID: "b", Memory: fmt.Appendf(nil, `{"n":%d}`, i)}))
	}
	info, err := os.Stat(filepath.Join(dir, "memory.log"))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(2<<20))
	memory, err := filestore.OpenActivations(dir).Memory(t.Context(), "w", "b")
	require.NoError(t, err)
	require.Equal(t, `{"n":199}`, string(memory))
}
