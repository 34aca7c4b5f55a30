package data_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
)

func TestZIP(t *testing.T) {
	h, dir := host(t)
	put(t, dir, "in/a.csv", "a\n1\n")
	put(t, dir, "in/sub/b.txt", strings.Repeat("text ", 1000))
	out, err := h.Exec("data.zip_create", record{"path": "x/all.zip", "base": "./in"}, record{"files": []any{"in/a.csv", "in/sub/b.txt"}})
	require.NoError(t, err)
	require.Equal(t, "x/all.zip", out["path"])
	require.Equal(t, len(read(t, dir, "x/all.zip")), out["bytes"])
	out, err = h.Exec("data.zip_list", nil, record{"path": "x/all.zip"})
	require.NoError(t, err)
	entries := out["entries"].([]any)
	require.Len(t, entries, 2)
	require.Equal(t, "sub/b.txt", entries[1].(record)["name"])
	require.Equal(t, 5000, entries[1].(record)["bytes"])
	require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`, entries[1].(record)["modified"])
	for pattern, want := range map[string][]any{"*": {"out/a.csv", "out/sub/b.txt"}, "*.txt": {"out/sub/b.txt"}, "sub/*": {"out/sub/b.txt"}, "*/*.csv": {}} {
		out, err = h.Exec("data.zip_extract", record{"pattern": pattern, "dir": "out"}, record{"path": "x/all.zip"})
		require.NoError(t, err)
		require.Equal(t, record{"files": want, "count": len(want), "warnings": []any{}}, out)
	}
	require.Equal(t, "a\n1\n", read(t, dir, "out/a.csv"))
	for message, inputs := range map[string]record{
		`"in/a.csv" does not lie below base "x"`: {"files": []any{"in/a.csv"}, "path": "y.zip", "base": "x"},
		"stands twice":                           {"files": []any{"in/a.csv", "./in/a.csv"}, "path": "y.zip"},
		"is a directory":                         {"files": []any{"in"}, "path": "y.zip"},
		"there is no file none":                  {"files": []any{"none"}, "path": "y.zip"},
	} {
		_, err := h.Exec("data.zip_create", nil, inputs)
		require.ErrorContains(t, err, message)
	}
	_, err = os.Stat(filepath.Join(dir, "y.zip"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// archive writes an archive with the given entries.
func archive(t testing.TB, dir, name string, mode fs.FileMode, entries ...string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, entry := range entries {
		header := &zip.FileHeader{Name: entry, Method: zip.Store}
		header.SetMode(mode)
		w, err := z.CreateHeader(header)
		require.NoError(t, err)
		_, err = w.Write([]byte("target"))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600))
}

func TestZIPTraps(t *testing.T) {
	h, dir := host(t)
	archive(t, dir, "up.zip", 0o644, "good.txt", "../evil.txt")
	archive(t, dir, "root.zip", 0o644, "/etc/evil.txt")
	archive(t, dir, "back.zip", 0o644, `..\evil.txt`)
	archive(t, dir, "link.zip", fs.ModeSymlink|0o777, "link")
	bomb(t, dir, "bomb.zip", "big.bin", 10<<20)
	put(t, dir, "no.zip", "this is no archive")
	put(t, dir, "claims.zip", claimsMany())
	names := make([]string, 100_001)
	for i := range names {
		names[i] = "a"
	}
	archive(t, dir, "many.zip", 0o644, names...)
	for name, tt := range map[string]struct{ code, message string }{
		"up.zip":     {"invalid_input", `../evil.txt: the entry cannot be unpacked: it would lie outside`},
		"root.zip":   {"invalid_input", `/etc/evil.txt: the entry cannot be unpacked: it would lie outside`},
		"back.zip":   {"invalid_input", `../evil.txt: the entry cannot be unpacked: it would lie outside`},
		"link.zip":   {"invalid_input", `link: the entry cannot be unpacked: it is a link`},
		"bomb.zip":   {"limit_exceeded", `entry "big.bin" unpacks to more than 200 times its size`},
		"no.zip":     {"invalid_input", "the archive cannot be read"},
		"claims.zip": {"invalid_input", "the archive cannot be read"},
		"many.zip":   {"limit_exceeded", "more than 100000 entries"},
	} {
		_, err := h.Exec("data.zip_extract", record{"dir": "out"}, record{"path": name})
		require.Equal(t, tt.code, node.CodeOf(err), "%s: %v", name, err)
		require.ErrorContains(t, err, tt.message)
		require.True(t, node.IsPermanent(err))
	}
	require.NoDirExists(t, filepath.Join(dir, "out"), "a failure leaves nothing")
	out, err := h.Exec("data.zip_extract", record{"dir": "out", "strict": false}, record{"path": "up.zip"})
	require.NoError(t, err)
	require.Equal(t, []any{"out/good.txt"}, out["files"])
	require.Equal(t, "target", read(t, dir, "out/good.txt"))
}

// claimsMany is an archive whose directory declares 65,000 entries and has none.
func claimsMany() string {
	end := make([]byte, 22)
	binary.LittleEndian.PutUint32(end, 0x06054b50)
	binary.LittleEndian.PutUint16(end[8:], 65_000)
	binary.LittleEndian.PutUint16(end[10:], 65_000)
	return strings.Repeat("\x00", 1000) + string(end)
}

func TestGzip(t *testing.T) {
	h, dir := host(t)
	text := strings.Repeat("line of a log\n", 5000)
	put(t, dir, "log.txt", text)
	out, err := h.Exec("data.gzip", record{"to": "x/log.gz"}, record{"path": "log.txt"})
	require.NoError(t, err)
	require.Equal(t, record{"path": "x/log.gz", "base64": nil, "bytes": len(read(t, dir, "x/log.gz"))}, out)
	out, err = h.Exec("data.gunzip", record{"to": "back.txt"}, record{"path": "x/log.gz"})
	require.NoError(t, err)
	require.Equal(t, len(text), out["bytes"])
	require.Equal(t, text, read(t, dir, "back.txt"))
	out, err = h.Exec("data.gzip", nil, record{"base64": "aGVsbG8="})
	require.NoError(t, err)
	packed := out["base64"].(string)
	out, err = h.Exec("data.gunzip", nil, record{"base64": packed})
	require.NoError(t, err)
	require.Equal(t, record{"path": nil, "base64": "aGVsbG8=", "bytes": 5, "warnings": []any{}}, out)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "zeros"), make([]byte, 30<<20), 0o600))
	out, err = h.Exec("data.gzip", nil, record{"path": "zeros"})
	require.NoError(t, err)
	whole, err := base64.StdEncoding.DecodeString(packed)
	require.NoError(t, err)
	for _, tt := range []struct {
		inputs        record
		code, message string
	}{
		{record{"base64": out["base64"]}, "limit_exceeded", "unpacks to more than 200 times its size"},
		{record{"base64": out["base64"], "to": "z"}, "limit_exceeded", "unpacks to more than 200 times its size"},
		{record{"base64": "aGVsbG8="}, "invalid_input", "it is no gzip"},
		{record{"base64": base64.StdEncoding.EncodeToString(whole[:len(whole)-6])}, "invalid_input", "it is damaged"},
		{record{"base64": "?"}, "invalid_input", "the input is no base64"},
		{record{"path": "none"}, "not_found", "there is no file none"},
	} {
		_, err := h.Exec("data.gunzip", nil, tt.inputs)
		require.Equal(t, tt.code, node.CodeOf(err), "%v", err)
		require.ErrorContains(t, err, tt.message)
	}
	require.Len(t, h.Problems("data.gzip", record{}), 1)
}

func TestDetect(t *testing.T) {
	h, dir := host(t)
	workbook(t, dir)
	for content, want := range map[string]record{
		"\x89PNG\r\n\x1a\n":       {"mime": "image/png", "encoding": nil, "bytes": 8},
		"%PDF-1.7\n":              {"mime": "application/pdf", "encoding": nil, "bytes": 9},
		"Grüße":                   {"mime": "text/plain", "encoding": "utf-8", "bytes": 7},
		"":                        {"mime": "text/plain", "encoding": nil, "bytes": 0},
		`{"a":1}`:                 {"mime": "application/json", "encoding": nil, "bytes": 7},
		"\x00\x01\x02":            {"mime": "application/octet-stream", "encoding": nil, "bytes": 3},
		"<!doctype html><p>hello": {"mime": "text/html", "encoding": "utf-8", "bytes": 23},
	} {
		out, err := h.Exec("data.detect", nil, record{"base64": base64.StdEncoding.EncodeToString([]byte(content))})
		require.NoError(t, err)
		require.Equal(t, want, out, content)
	}
	out, err := h.Exec("data.detect", nil, record{"path": "in.xlsx"})
	require.NoError(t, err)
	require.Equal(t, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", out["mime"])
}

func FuzzZIP(f *testing.F) {
	dir := f.TempDir()
	archive(f, dir, "a.zip", 0o644, "a.txt", "b/c.txt")
	f.Add([]byte(read(f, dir, "a.zip")))
	f.Fuzz(func(t *testing.T, content []byte) {
		h, dir := host(t)
		put(t, dir, "in/a.zip", string(content))
		_, _ = h.Exec("data.zip_list", nil, record{"path": "in/a.zip"})
		_, _ = h.Exec("data.zip_extract", record{"dir": "in/out"}, record{"path": "in/a.zip"})
		_, _ = h.Exec("data.gunzip", nil, record{"path": "in/a.zip"})
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1, "nothing leaves its directory")
	})
}
