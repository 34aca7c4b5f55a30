package folder_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/nodes/folder"
)

func TestABatchAppearsTogetherOrNotAtAll(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // a test's folder
	d := folder.Disk{Files: small{root, 1000}}
	text := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	names := func() (all []string) {
		require.NoError(t, filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
			if name != dir {
				all = append(all, filepath.Base(name))
			}
			return err
		}))
		return all
	}
	_, err = d.Save("old.txt", text("old"))
	require.NoError(t, err)

	b := d.Batch()
	_, err = b.Write("a/b/new.txt", text("new"))
	require.NoError(t, err)
	_, err = b.Write("old.txt", func(io.Writer) error { return errors.New("broken") })
	require.ErrorContains(t, err, "broken")
	b.Discard()
	require.Equal(t, []string{"old.txt"}, names())

	b = d.Batch()
	for _, name := range []string{"a/b/new.txt", "old.txt"} {
		n, err := b.Write(name, text("new"))
		require.NoError(t, err)
		require.Equal(t, 3, n)
	}
	data, err := os.ReadFile(filepath.Join(dir, "old.txt"))
	require.NoError(t, err)
	require.Equal(t, "old", string(data), "nothing appears before Commit")
	require.NoError(t, b.Commit())
	b.Discard()
	require.Equal(t, []string{"a", "b", "new.txt", "old.txt"}, names())
	data, err = os.ReadFile(filepath.Join(dir, "old.txt"))
	require.NoError(t, err)
	require.Equal(t, "new", string(data))
}
