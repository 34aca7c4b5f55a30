//go:build unix

package ionode_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/nodetest"
)

// None of these calls may block, although nobody opens the other end of the pipe.
func TestSpecialFilesAreRefused(t *testing.T) {
	h, dir := host(t, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	require.NoError(t, os.Symlink("pipe", filepath.Join(dir, "link")))
	for _, name := range []string{"pipe", "link"} {
		for typ, in := range map[string]record{
			"io.file_read":  {"path": name},
			"io.file_write": {"path": name, "content": "x", "append": true},
		} {
			_, err := h.Exec(typ, nil, in)
			require.Equal(t, node.CodeForbidden, node.CodeOf(err), typ)
			require.ErrorContains(t, err, "no regular file")
		}
	}
	_, err := h.Exec("io.file_write", nil, record{"path": "pipe", "content": "x"})
	require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	got, err := h.Exec("io.file_list", nil, record{})
	require.NoError(t, err)
	require.Zero(t, got["count"])
}

// blindFiles finds no file in Stat, as if each were created between Stat and OpenFile.
type blindFiles struct{ rootFiles }

func (blindFiles) Stat(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist }

func TestPipeThatSlipsInDoesNotBlock(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // opened for reading only
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	h := nodetest.New(t, ionode.Plugin(ionode.Env{Files: blindFiles{rootFiles{root}}}))
	_, err = h.Exec("io.file_read", nil, record{"path": "pipe"})
	require.Equal(t, node.CodeForbidden, node.CodeOf(err))
	_, err = h.Exec("io.file_write", nil, record{"path": "pipe", "content": "x", "append": true})
	require.Error(t, err)
}
