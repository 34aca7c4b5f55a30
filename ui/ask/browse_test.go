package ask

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/kit"
)

func titles(choices []kit.Choice) []string {
	var names []string
	for _, c := range choices {
		names = append(names, c.Title)
	}
	return names
}

func TestAFileIsFoundByTyping(t *testing.T) {
	dir, chosen := t.TempDir(), ""
	inner := filepath.Join(dir, "work", "inner")
	require.NoError(t, os.MkdirAll(inner, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(inner, "report.json"), nil, 0o600))
	for _, name := range []string{"notes.txt", ".hidden.json", "a.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "work", name), nil, 0o600))
	}
	require.NoError(t, os.Symlink(inner, filepath.Join(dir, "work", "link")))
	work := filepath.Join(dir, "work")
	look := browser{ending: ".json", then: func(path string) { chosen = path }}
	require.Equal(t, []string{"inner", "link", "a.json", ".."}, titles(look.search(work, "")))
	require.Equal(t, []string{"inner"}, titles(look.search(work, "inn")))
	require.Equal(t, []string{".hidden.json"}, titles(look.search(work, ".hid")))
	require.Equal(t, []string{"report.json", ".."}, titles(look.search(dir, inner+"/")))
	require.Equal(t, []string{"report.json"}, titles(look.search("/", filepath.Join(inner, "rep"))))
	gone := look.search(filepath.Join(work, "gone"), "")
	require.Len(t, gone, 1)
	require.True(t, gone[0].Disabled, "it says why")

	look.search(dir, filepath.Join(inner, "rep"))[0].Pick()
	require.Equal(t, filepath.Join(inner, "report.json"), chosen)
}

func TestAFolderIsFoundByTyping(t *testing.T) {
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	require.NoError(t, os.MkdirAll(work, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), nil, 0o600))
	chosen := ""
	look := browser{folder: true, then: func(path string) { chosen = path }}
	require.NotContains(t, titles(look.search(dir, "")), "a.json")
	look.search(work, "")[0].Pick()
	require.Equal(t, work, chosen)
}
