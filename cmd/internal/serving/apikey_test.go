package serving

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStoredKeyIsMadeOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	first, made, err := storedKey(dir)
	require.NoError(t, err)
	require.True(t, made)
	require.GreaterOrEqual(t, len(first), 43, "32 random bytes in base64")

	second, made, err := storedKey(dir)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, first, second)

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")

	other, _, err := storedKey(t.TempDir())
	require.NoError(t, err)
	require.NotEqual(t, first, other)
}

func TestServersThatStartTogetherShareOneKey(t *testing.T) {
	dir := t.TempDir()
	keys := make([]string, 16)
	var group sync.WaitGroup
	for i := range keys {
		group.Go(func() {
			var err error
			keys[i], _, err = storedKey(dir)
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, key := range keys {
		require.Equal(t, keys[0], key)
	}
}

func TestReadKeyRefuses(t *testing.T) {
	for _, c := range []struct {
		name, content string
		mode          os.FileMode
		want          string
	}{
		{"others may read", "0123456789abcdef0123", 0o604, "chmod 600"},
		{"the group may read", "0123456789abcdef0123", 0o640, "chmod 600"},
		{"too short", "secret\n", 0o600, "delete the file"},
		{"empty", "", 0o600, "delete the file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), keyFile)
			require.NoError(t, os.WriteFile(path, []byte(c.content), 0o600))
			require.NoError(t, os.Chmod(path, c.mode))
			_, err := readKey(path)
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret")
		})
	}
}
