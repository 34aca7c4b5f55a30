package folder_test

import (
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/nodes/folder"
)

// small is a folder with a quota of a few bytes.
type small struct {
	*os.Root

	room int
}

func (small) Clean(name string) (string, error) { return path.Clean(name), nil }
func (small) Place(name string) string          { return name }

func (s small) Writer(f *os.File) io.Writer { return &full{f, s.room} }

type full struct {
	io.Writer

	room int
}

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, node.Errorf(node.CodeStorageFull, "no room")
	}
	return f.Writer.Write(p)
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // a test's folder
	d := folder.Disk{Files: small{root, 200_000}}
	text := strings.Repeat("0123456789", 10_000)
	write := func(text string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
	}
	n, err := d.Save("a/b.txt", write(text))
	require.NoError(t, err)
	require.Equal(t, len(text), n)
	// A failed save leaves the old file unchanged, and no temporary file.
	_, err = d.Save("a/b.txt", write(text+text+text))
	require.Equal(t, node.CodeStorageFull, node.CodeOf(err))
	broken := errors.New("broken")
	_, err = d.Save("a/b.txt", func(w io.Writer) error { _ = write(text)(w); return broken })
	require.ErrorIs(t, err, broken)
	_, err = d.Save("a", write(text))
	require.Equal(t, node.CodeInvalidInput, node.CodeOf(err))
	for _, first := range []bool{true, false} {
		_, err = d.Append("c.txt", func(w io.Writer, empty bool) error {
			require.Equal(t, first, empty)
			return write("line\n")(w)
		})
		require.NoError(t, err)
	}
	_, err = d.Append("c.txt", func(w io.Writer, _ bool) error { return write(text + text + text)(w) })
	require.Equal(t, node.CodeStorageFull, node.CodeOf(err))
	entries, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
	data, err := os.ReadFile(entries[0])
	require.NoError(t, err)
	require.Equal(t, text, string(data))
}
