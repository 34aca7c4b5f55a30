package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/storetest"
)

func TestActivations(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		storetest.Activations(t, func(t *testing.T) func() store.ActivationStore {
			dir := filepath.Join(t.TempDir(), "triggers")
			return func() store.ActivationStore { return store.FileActivations(dir) }
		})
	})
	t.Run("memory", func(t *testing.T) {
		storetest.Activations(t, func(*testing.T) func() store.ActivationStore {
			s := &store.MemoryActivations{}
			return func() store.ActivationStore { return s }
		})
	})
}

// TestDamagedActivations proves that what cannot be read hides nothing else.
func TestDamagedActivations(t *testing.T) {
	dir := t.TempDir()
	s := store.FileActivations(dir)
	require.NoError(t, s.Activate(t.Context(), store.Activation{Definition: storetest.Definition("a", "a")}))
	require.NoError(t, s.Activate(t.Context(), store.Activation{Definition: storetest.Definition("b", "b")}))
	files, err := filepath.Glob(filepath.Join(dir, "a-*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1)
	for _, text := range []string{"", "{", `{"definition":{"id":"a"}}`} {
		require.NoError(t, os.WriteFile(files[0], []byte(text), 0o600))
		all, err := s.Activations(t.Context())
		require.ErrorContains(t, err, "a-", "%q", text)
		require.Len(t, all, 1)
		require.Equal(t, "b", all[0].Definition.ID)
	}
}
