package ionode_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	ionode "github.com/svcflow/svc/nodes/io"
	"github.com/svcflow/svc/nodes/nodetest"
)

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	full := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.WriteFile(full, []byte(content), 0o600))
	return full
}

func TestFileRead(t *testing.T) {
	h, dir := host(t, nil)
	put(t, dir, "a/text.txt", "Grüße")
	put(t, dir, "empty", "")
	put(t, dir, "image", "\xff\x00")
	put(t, dir, "latin", "Gr\xfc\xdfe")
	put(t, dir, "mark", "\xff\xfe\xe4\x00")
	tests := []struct {
		name string
		in   record
		want record
	}{
		{"text", record{"path": "a/text.txt"}, record{"content": "Grüße", "encoding": "text", "exists": true, "bytes": 7}},
		{"path is cleaned", record{"path": "./a//b/../text.txt"}, record{"content": "Grüße", "encoding": "text", "exists": true, "bytes": 7}},
		{"as much as allowed", record{"path": "a/text.txt", "maxBytes": 7}, record{"content": "Grüße", "encoding": "text", "exists": true, "bytes": 7}},
		{"empty", record{"path": "empty"}, record{"content": "", "encoding": "text", "exists": true, "bytes": 0}},
		{"base64", record{"path": "image", "encoding": "base64"}, record{"content": "/wA=", "encoding": "base64", "exists": true, "bytes": 2}},
		{"no text", record{"path": "image"}, record{"content": "/wA=", "encoding": "base64", "exists": true, "bytes": 2}},
		{"Windows-1252, found", record{"path": "latin"}, record{"content": "Grüße", "encoding": "text", "exists": true, "bytes": 5}},
		{"an encoding by name", record{"path": "latin", "encoding": "ISO-8859-5"}, record{"content": "Grќпe", "encoding": "text", "exists": true, "bytes": 5}},
		{"byte order mark", record{"path": "mark"}, record{"content": "ä", "encoding": "text", "exists": true, "bytes": 4}},
		{"absent", record{"path": "b", "onMissing": "absent"}, record{"encoding": "text", "exists": false, "bytes": 0}},
		{"absent directory", record{"path": "b/c", "onMissing": "absent"}, record{"encoding": "text", "exists": false, "bytes": 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := h.Exec("io.file_read", tt.in, nil)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestFileReadFailures(t *testing.T) {
	h, dir := host(t, nil)
	put(t, dir, "a/text.txt", "Grüße")
	put(t, dir, "image", "\xff\x00")
	require.NoError(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	tests := []struct {
		name          string
		in            record
		code, message string
	}{
		{"absent", record{"path": "b/./c"}, "not_found", "there is no file <b/c>"},
		{"no path", record{"path": ""}, "invalid_input", "empty"},
		{"directory", record{"path": "a"}, "invalid_input", "is a directory"},
		{"not in the encoding", record{"path": "image", "encoding": "utf-8"}, "invalid_input", "not valid in utf-8"},
		{"no encoding", record{"path": "image", "encoding": "klingon"}, "invalid_input", "klingon"},
		{"too large", record{"path": "a/text.txt", "maxBytes": 6}, "limit_exceeded", "6 bytes"},
		{"limit too low", record{"path": "a/text.txt", "maxBytes": 0}, "invalid_input", "maxBytes"},
		{"limit too high", record{"path": "a/text.txt", "maxBytes": 100<<20 + 1}, "invalid_input", "maxBytes"},
		{"below a file", record{"path": "image/a"}, "failed", "not a directory"},
		{"NUL", record{"path": "a\x00b"}, "failed", "invalid"},
		{"loop", record{"path": "loop"}, "failed", "loop"},
		{"long name", record{"path": strings.Repeat("x", 5000)}, "failed", "too long"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := h.Exec("io.file_read", nil, tt.in)
			require.Equal(t, tt.code, node.CodeOf(err))
			require.ErrorContains(t, err, tt.message)
			require.NotContains(t, err.Error(), dir)
		})
	}
}

func TestFileWrite(t *testing.T) {
	h, dir := host(t, nil)
	write := func(in record) record {
		t.Helper()
		got, err := h.Exec("io.file_write", nil, in)
		require.NoError(t, err)
		return got
	}
	content := func(name string) string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	require.Equal(t, record{"path": "x/y/a.txt", "bytes": 3}, write(record{"path": "./x/y/z/../a.txt", "content": "one"}))
	require.Equal(t, "one", content("x/y/a.txt"))
	write(record{"path": "x/y/a.txt", "content": "2"})
	require.Equal(t, "2", content("x/y/a.txt"))
	require.Equal(t, record{"path": "x/y/a.txt", "bytes": 2}, write(record{"path": "x/y/a.txt", "content": "ab", "append": true}))
	require.Equal(t, "2ab", content("x/y/a.txt"))
	write(record{"path": "log/new", "content": "l", "append": true})
	require.Equal(t, "l", content("log/new"))
	require.Equal(t, record{"path": "b", "bytes": 2}, write(record{"path": "b", "content": "/wA=", "encoding": "base64"}))
	require.Equal(t, "\xff\x00", content("b"))
	write(record{"path": "c", "content": "Grüße", "encoding": "windows-1252"})
	require.Equal(t, "Gr\xfc\xdfe", content("c"))
	left, err := filepath.Glob(filepath.Join(dir, "x/y/*"))
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file is left")
}

func TestFileWriteKeepsPermissions(t *testing.T) {
	h, dir := host(t, nil)
	full := put(t, dir, "private", "x")
	_, err := h.Exec("io.file_write", nil, record{"path": "private", "content": "y"})
	require.NoError(t, err)
	info, err := os.Stat(full)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestFileWriteReplacesALinkAndNotItsTarget(t *testing.T) {
	h, dir := host(t, nil)
	target := put(t, dir, "target", "old")
	require.NoError(t, os.Symlink("target", filepath.Join(dir, "link")))
	_, err := h.Exec("io.file_write", nil, record{"path": "link", "content": "new"})
	require.NoError(t, err)
	data, err := os.ReadFile(target)
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
}

func TestFileWriteFailures(t *testing.T) {
	h, dir := host(t, nil)
	put(t, dir, "file", "x")
	put(t, dir, "dir/file", "x")
	tests := []struct {
		name string
		in   record
		code string
	}{
		{"no path", record{"path": "", "content": "x"}, "invalid_input"},
		{"directory", record{"path": "dir", "content": "x"}, "invalid_input"},
		{"append to directory", record{"path": "dir", "content": "x", "append": true}, "invalid_input"},
		{"the root itself", record{"path": ".", "content": "x"}, "invalid_input"},
		{"below a file", record{"path": "file/a", "content": "x"}, "failed"},
		{"no base64", record{"path": "a", "content": "!", "encoding": "base64"}, "invalid_input"},
		{"no encoding", record{"path": "a", "content": "x", "encoding": "klingon"}, "invalid_input"},
		{"not in the encoding", record{"path": "a", "content": "名", "encoding": "latin1"}, "invalid_input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := h.Exec("io.file_write", nil, tt.in)
			require.Equal(t, tt.code, node.CodeOf(err), err)
			require.NotContains(t, err.Error(), dir)
		})
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
}

// stuckFiles are files that can be written, but not renamed into place.
type stuckFiles struct{ rootFiles }

func (stuckFiles) Rename(string, string) error { return syscall.ENOSPC }

func TestFileWriteLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close() //nolint:errcheck // opened for reading only
	h := nodetest.New(t, ionode.Plugin(ionode.Env{Files: stuckFiles{rootFiles{root}}}))
	put(t, dir, "a", "old")
	_, err = h.Exec("io.file_write", nil, record{"path": "a", "content": "new"})
	require.Equal(t, "storage_full", node.CodeOf(err))
	require.False(t, node.IsPermanent(err))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	data, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)
	require.Equal(t, "old", string(data))
}

func TestFileList(t *testing.T) {
	h, dir := host(t, nil)
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.FixedZone("", 7200))
	for _, name := range []string{"b.txt", "a.csv", "sub/c.txt", "sub/deep/d.txt", ".svc-tmp-X", "odd\xff"} {
		require.NoError(t, os.Chtimes(put(t, dir, name, name), at, at))
	}
	require.NoError(t, os.Symlink("sub", filepath.Join(dir, "linked")))
	require.NoError(t, os.Symlink("a.csv", filepath.Join(dir, "link.txt")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "dangling.txt")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "outside.txt")))
	tests := []struct {
		in   record
		want []string
	}{
		{record{}, []string{"a.csv", "b.txt", "link.txt", "linked/", "sub/"}},
		{record{"pattern": "*.txt"}, []string{"b.txt", "link.txt"}},
		{record{"pattern": "[ab].*"}, []string{"a.csv", "b.txt"}},
		{record{"dir": "sub"}, []string{"sub/c.txt", "sub/deep/"}},
		{record{"dir": "linked"}, []string{"linked/c.txt", "linked/deep/"}},
		{record{"recursive": true, "pattern": "*.txt"}, []string{"b.txt", "link.txt", "sub/c.txt", "sub/deep/d.txt"}},
		{record{"recursive": true, "dir": "./sub/"}, []string{"sub/c.txt", "sub/deep/", "sub/deep/d.txt"}},
		{record{"pattern": "none"}, []string{}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.in), func(t *testing.T) {
			got, err := h.Exec("io.file_list", nil, tt.in)
			require.NoError(t, err)
			names := []string{}
			for _, f := range got["files"].([]any) {
				name := f.(record)["path"].(string)
				if f.(record)["dir"] == true {
					name += "/"
				}
				names = append(names, name)
			}
			require.Equal(t, tt.want, names)
			require.Equal(t, len(tt.want), got["count"])
		})
	}
	got, err := h.Exec("io.file_list", nil, record{"pattern": "b.txt"})
	require.NoError(t, err)
	require.Equal(t, []any{record{"path": "b.txt", "bytes": 5, "modified": "2026-03-04T03:06:07Z", "dir": false}}, got["files"])
}

func TestFileListFailures(t *testing.T) {
	h, dir := host(t, nil)
	put(t, dir, "file", "x")
	tests := []struct {
		in   record
		code string
	}{
		{record{"dir": "gone"}, "not_found"},
		{record{"dir": ""}, "invalid_input"},
		{record{"dir": "file"}, "invalid_input"},
		{record{"pattern": "[a"}, "invalid_input"},
	}
	for _, tt := range tests {
		_, err := h.Exec("io.file_list", nil, tt.in)
		require.Equal(t, tt.code, node.CodeOf(err), tt.in)
		require.NotContains(t, err.Error(), dir)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.ExecContext(ctx, "io.file_list", nil, record{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestFileListIsBounded(t *testing.T) {
	h, dir := host(t, nil)
	for i := range 10_001 {
		require.NoError(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("f%05d", i)), 0o755))
	}
	_, err := h.Exec("io.file_list", nil, record{})
	require.Equal(t, node.CodeLimitExceeded, node.CodeOf(err))
	require.True(t, node.IsPermanent(err))
	got, err := h.Exec("io.file_list", nil, record{"pattern": "f0*"})
	require.NoError(t, err)
	require.Equal(t, 10_000, got["count"])
}
