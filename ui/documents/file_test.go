package documents_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/documents"
)

func TestFileRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	def := definition("W")
	written, err := documents.WriteFile(path, def)
	require.NoError(t, err)
	require.Equal(t, path, written.File)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(def.Format()), string(text))

	got, read, err := documents.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, written, read)
	require.Equal(t, def.Digest(), got.Digest())
}

func TestFileChangedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	origin, err := documents.WriteFile(path, definition("1"))
	require.NoError(t, err)
	origin, err = documents.UpdateFile(origin, definition("2"))
	require.NoError(t, err)
	origin, err = documents.UpdateFile(origin, definition("3"))
	require.NoError(t, err)

	theirs := []byte("something else")
	require.NoError(t, os.WriteFile(path, theirs, 0o600))
	_, err = documents.UpdateFile(origin, definition("4"))
	require.ErrorIs(t, err, documents.ErrChanged)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, theirs, text)

	require.NoError(t, os.Remove(path))
	_, err = documents.UpdateFile(origin, definition("5"))
	require.NoError(t, err)
	require.FileExists(t, path)

	require.NoError(t, os.WriteFile(path, make([]byte, workflow.DefaultLimits().Bytes+1), 0o600))
	_, err = documents.UpdateFile(origin, definition("6"))
	require.ErrorIs(t, err, documents.ErrChanged)
}

func TestFileKeepsModeAndLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("neither is common there")
	}
	dir := t.TempDir()
	path, link := filepath.Join(dir, "w.json"), filepath.Join(dir, "link.json")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.Chmod(path, 0o666))
	require.NoError(t, os.Symlink("w.json", link))
	origin, err := documents.WriteFile(link, definition("W"))
	require.NoError(t, err)
	require.Equal(t, link, origin.File)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeSymlink)
	info, err = os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o666), info.Mode())
	require.NotZero(t, info.Size())

	require.NoError(t, os.Remove(path))
	_, err = documents.WriteFile(link, definition("W"))
	require.ErrorContains(t, err, "the link leads to a file that is gone")
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := filepath.Join(dir, "w.json")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for text, want := range map[string]string{
		"{\n  \"id\": \"w\",\n  \"nodez\": []}": "w.json, line 3, column ",
		"":                                      "w.json, line 1, column 1: ",
		`{"id":"w","nodes":[{"id":1,"type":"a"}],"connections":[]}`: "at /nodes/0/id: ",
		strings.Repeat(" ", workflow.DefaultLimits().Bytes+1):       workflow.ErrTooLarge.Error(),
	} {
		_, _, err := documents.ReadFile(write(text))
		require.ErrorContains(t, err, want)
	}
	_, _, err := documents.ReadFile(filepath.Join(dir, "absent.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = documents.ReadFile(dir)
	require.ErrorContains(t, err, "not a file that can hold a workflow")
	_, err = documents.WriteFile(dir, definition("W"))
	require.ErrorContains(t, err, "not a file that can hold a workflow")
	_, err = documents.WriteFile(filepath.Join(dir, "absent", "w.json"), definition("W"))
	require.ErrorIs(t, err, os.ErrNotExist)

	readOnly := filepath.Join(dir, "readonly.json")
	require.NoError(t, os.WriteFile(readOnly, nil, 0o400))
	if os.Geteuid() != 0 {
		_, err = documents.WriteFile(readOnly, definition("W"))
		require.ErrorIs(t, err, os.ErrPermission)
	}
	entries, err := filepath.Glob(filepath.Join(dir, ".*"))
	require.NoError(t, err)
	require.Empty(t, entries, "nothing is left over")
}

func TestFileName(t *testing.T) {
	for id, want := range map[string]string{
		"greet":                  "greet.json",
		"":                       "workflow.json",
		"..":                     "workflow.json",
		"../../etc/passwd":       "etc-passwd.json",
		`C:\a b`:                 "C-a-b.json",
		"Grüße an alle 2.json":   "Grüße-an-alle-2.json",
		".hidden":                "hidden.json",
		"con":                    "workflow-con.json",
		"LPT1.x":                 "workflow-LPT1.x.json",
		"v1.2":                   "v1.2.json",
		"a\u202eb\x00c":          "a-b-c.json",
		strings.Repeat("ä", 200): strings.Repeat("ä", 80) + ".json",
		strings.Repeat("𒀀", 200): strings.Repeat("𒀀", 51) + ".json",
	} {
		require.Equal(t, want, documents.FileName(id), "%q", id)
	}
}
