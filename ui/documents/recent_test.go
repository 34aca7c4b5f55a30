package documents_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
)

func names(r *documents.Recent) (all []string) {
	for _, e := range r.List() {
		all = append(all, e.Name)
	}
	return all
}

func TestRecent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "recent.json")
	recent := documents.OpenRecent(file)
	require.Empty(t, recent.List())
	require.NoError(t, recent.Add(documents.Origin{}, "nowhere yet"))
	require.NoFileExists(t, file)

	a, b := documents.Origin{File: "/a.json", Digest: "1"}, documents.Origin{ID: "b"}
	require.NoError(t, recent.Add(a, "A"))
	require.NoError(t, recent.Add(b, "B"))
	require.NoError(t, recent.Add(documents.Origin{ID: "b", Server: "https://svc.example"}, "B there"))
	require.Equal(t, []string{"B there", "B", "A"}, names(recent))
	a.Digest = "2"
	require.NoError(t, documents.OpenRecent(file).Add(a, "A again"))
	require.Equal(t, []string{"A again", "B there", "B"}, names(recent), "another window's entry counts")
	require.Empty(t, recent.List()[0].Origin.Digest)
	require.NoError(t, recent.Remove(b))
	require.Equal(t, []string{"A again", "B there"}, names(recent))

	for i := range 30 {
		require.NoError(t, recent.Add(documents.Origin{ID: strconv.Itoa(i)}, strconv.Itoa(i)))
	}
	require.Len(t, recent.List(), 20)
	require.Equal(t, "29", recent.List()[0].Name)
}

func TestRecentWithDamage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "recent.json")
	recent := documents.OpenRecent(file)
	for text, want := range map[string][]string{
		"":    nil,
		"{}":  nil,
		"[{":  nil,
		"nil": nil,
		`[1,{"name":"nowhere"},{"name":"A","origin":{"file":"/a"}},{"origin":7}]`: {"A"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.Equal(t, want, names(recent), text)
		require.NoError(t, recent.Add(documents.Origin{ID: "new"}, "new"))
		require.Equal(t, append([]string{"new"}, want...), names(recent))
	}
}

func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.json")
	e := documents.Entry{Origin: documents.Origin{File: path}}
	require.True(t, e.Missing())
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.False(t, e.Missing())
	require.False(t, documents.Entry{Origin: documents.Origin{ID: "w"}}.Missing())
}
