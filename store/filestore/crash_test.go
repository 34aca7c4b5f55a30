package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store/internal/vfs"
)

func version(n int) *workflow.Definition {
	return &workflow.Definition{ID: "w", Name: fmt.Sprint(n)}
}

func saveVersion(t *testing.T, s *Store, n int) {
	t.Helper()
	meta, err := s.Save(t.Context(), version(n))
	require.NoError(t, err)
	require.Equal(t, n, meta.Revision)
}

func requireRevisions(t *testing.T, s *Store, want ...string) {
	t.Helper()
	metas, err := s.Revisions(t.Context(), "w")
	require.NoError(t, err)
	var names []string
	for _, meta := range metas {
		require.Equal(t, meta.Name, fmt.Sprint(meta.Revision))
		names = append(names, meta.Name)
	}
	require.Equal(t, want, names)
}

func noLinks(string, string) error { return errors.ErrUnsupported }

// TestCrashBeforeTheRename checks that a save that crashes after it has added the current file to
// the history, by link or by copy, has created no revision.
func TestCrashBeforeTheRename(t *testing.T) {
	for name, link := range map[string]func(string, string) error{"link": os.Link, "copy": noLinks} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := Open(dir)
			s.link = link
			saveVersion(t, s, 1)
			saveVersion(t, s, 2)

			file := fileName("w")
			doc, err := s.current(file)
			require.NoError(t, err)
			require.NoError(t, s.supersede(file, doc))
			require.NoError(t, os.WriteFile(s.path(vfs.Temp), []byte("half a docu"), 0o600))

			s = Open(dir) // after the crash
			s.link = link
			requireRevisions(t, s, "2", "1")
			saveVersion(t, s, 3)
			requireRevisions(t, s, "3", "2", "1")
			require.NoFileExists(t, s.path(vfs.Temp))
		})
	}
}

// TestCrashInDelete checks that a delete that crashes after removing the document leaves a history
// that the next workflow with the same id does not inherit.
func TestCrashInDelete(t *testing.T) {
	dir := t.TempDir()
	s := Open(dir)
	saveVersion(t, s, 1)
	saveVersion(t, s, 2)
	require.NoError(t, os.Remove(s.path(fileName("w"))))

	s = Open(dir)
	_, err := s.Revisions(t.Context(), "w")
	require.ErrorIs(t, err, workflow.ErrNotFound)
	saveVersion(t, s, 1)
	requireRevisions(t, s, "1")

	saveVersion(t, s, 2)
	require.NoError(t, os.Remove(s.path(fileName("w"))))
	require.NoError(t, s.Delete(t.Context(), "w"))
	require.NoDirExists(t, s.historyDir(fileName("w")))
}

func TestWithoutLinks(t *testing.T) {
	s := Open(t.TempDir())
	s.link = noLinks
	for n := 1; n <= 3; n++ {
		saveVersion(t, s, n)
	}
	requireRevisions(t, s, "3", "2", "1")
	left, err := filepath.Glob(filepath.Join(s.historyDir(fileName("w")), ".*"))
	require.NoError(t, err)
	require.Empty(t, left)
}
