package ionode_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/nodetest"
)

func TestFilesAreCopiedMovedAndDeleted(t *testing.T) {
	h, dir := host(t, nil)
	put(t, dir, "a", "one")
	exec := func(typ string, in record) record {
		t.Helper()
		got, err := h.Exec(typ, in, nil)
		require.NoError(t, err)
		return got
	}
	require.Equal(t, record{"path": "x/b", "bytes": 3}, exec("io.file_copy", record{"from": "a", "to": "./x/b"}))
	require.Equal(t, "one", content(t, dir, "x/b"))
	require.Equal(t, "one", content(t, dir, "a"))
	require.Equal(t, record{"path": "y/c", "atomic": true}, exec("io.file_move", record{"from": "a", "to": "y/c"}))
	require.Equal(t, "one", content(t, dir, "y/c"))
	require.NoFileExists(t, filepath.Join(dir, "a"))

	put(t, dir, "new", "two")
	exec("io.file_copy", record{"from": "new", "to": "x/b", "overwrite": true})
	require.Equal(t, "two", content(t, dir, "x/b"))
	exec("io.file_move", record{"from": "new", "to": "y/c", "overwrite": true})
	require.Equal(t, "two", content(t, dir, "y/c"))

	require.Equal(t, record{"deleted": true}, exec("io.file_delete", record{"path": "y/c"}))
	require.NoFileExists(t, filepath.Join(dir, "y/c"))
	require.Equal(t, record{"deleted": false}, exec("io.file_delete", record{"path": "y/c", "missing": "pass"}))
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

func TestFilesThatCannotBeCopiedMovedOrDeleted(t *testing.T) {
	h, dir := host(t, nil)
	put(t, dir, "a", "one")
	put(t, dir, "b", "two")
	put(t, dir, "dir/c", "three")
	require.NoError(t, os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "same")))
	for _, tt := range []struct {
		name string
		in   record
		code string
	}{
		{"missing", record{"from": "z", "to": "y"}, "not_found"},
		{"in the way", record{"from": "a", "to": "b"}, "conflict"},
		{"itself", record{"from": "a", "to": "./a", "overwrite": true}, "invalid_input"},
		{"another name of itself", record{"from": "a", "to": "same", "overwrite": true}, "invalid_input"},
		{"a directory", record{"from": "dir", "to": "y"}, "invalid_input"},
		{"onto a directory", record{"from": "a", "to": "dir", "overwrite": true}, "invalid_input"},
		{"below a file", record{"from": "a", "to": "b/y"}, "failed"},
		{"no path", record{"from": "a", "to": ""}, "invalid_input"},
	} {
		for _, typ := range []string{"io.file_copy", "io.file_move"} {
			t.Run(typ+" "+tt.name, func(t *testing.T) {
				_, err := h.Exec(typ, tt.in, nil)
				require.Equal(t, tt.code, node.CodeOf(err), err)
				require.NotContains(t, err.Error(), dir)
			})
		}
	}
	for path, code := range map[string]string{"z": "not_found", "dir": "invalid_input", "": "invalid_input"} {
		_, err := h.Exec("io.file_delete", record{"path": path}, nil)
		require.Equal(t, code, node.CodeOf(err), err)
	}
	require.Equal(t, "one", content(t, dir, "a"))
	require.Equal(t, "two", content(t, dir, "b"))
	require.Equal(t, "three", content(t, dir, "dir/c"))
}

// twoDisks are files whose names are on different disks.
type twoDisks struct{ rootFiles }

func (d twoDisks) Rename(from, to string) error {
	if filepath.Dir(from) != filepath.Dir(to) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
	}
	return d.rootFiles.Rename(from, to)
}

func TestAMoveToAnotherDiskSaysThatItIsNotAtomic(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // nothing was written
	h := nodetest.New(t, ionode.Plugin(ionode.Env{Files: twoDisks{rootFiles{root}}}))
	put(t, dir, "a", "one")
	got, err := h.Exec("io.file_move", record{"from": "a", "to": "other/a"}, nil)
	require.NoError(t, err)
	require.Equal(t, record{"path": "other/a", "atomic": false}, got)
	require.Equal(t, "one", content(t, dir, "other/a"))
	require.NoFileExists(t, filepath.Join(dir, "a"))
}
