package filestore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/storetest"
)

func TestFile(t *testing.T) {
	storetest.Run(t, func(t *testing.T) store.WorkflowStore {
		return filestore.Open(filepath.Join(t.TempDir(), "made", "by the store"))
	})
}

func save(t *testing.T, s *filestore.Store, id, name string) workflow.Meta {
	t.Helper()
	meta, err := s.Save(t.Context(), storetest.Definition(id, name))
	require.NoError(t, err)
	return meta
}

func list(t *testing.T, s *filestore.Store) []workflow.Meta {
	t.Helper()
	metas, err := workflow.All(t.Context(), s.List)
	require.NoError(t, err)
	return metas
}

func nameOf(t *testing.T, s *filestore.Store, id string) string {
	t.Helper()
	def, err := s.Load(t.Context(), id)
	require.NoError(t, err)
	return def.Name
}

// visible returns the files of dir that the store lists.
func visible(t *testing.T, dir string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	require.NoError(t, err)
	return paths
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	require.Len(t, visible(t, dir), 1)
	return visible(t, dir)[0]
}

func TestFileIsThePlainDocument(t *testing.T) {
	dir := t.TempDir()
	save(t, filestore.Open(dir), "a/Ä rather: long, LONG id, of which people see a part", "one")
	path := onlyFile(t, dir)
	require.Regexp(t, `^a-rather-long-long-id-of-which-people-se-[0-9a-f]{32}\.json$`, filepath.Base(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	def := storetest.Definition("a/Ä rather: long, LONG id, of which people see a part", "one")
	require.Equal(t, string(def.Format()), string(text))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}

func TestFileNothingStored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "absent")
	s := filestore.Open(dir)
	require.Empty(t, list(t, s))
	require.NoError(t, s.Delete(t.Context(), "w"))
	_, err := os.Stat(dir)
	require.ErrorIs(t, err, fs.ErrNotExist, "only a save makes the directory")
}

func TestFileEditedByHand(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	saved := save(t, s, "w", "one")
	before, err := s.Version(t.Context(), "w")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(onlyFile(t, dir), storetest.Definition("w", "by hand").Format(), 0o600))

	require.Equal(t, "by hand", nameOf(t, s, "w"))
	after, err := s.Version(t.Context(), "w")
	require.NoError(t, err)
	require.NotEqual(t, before, after)
	require.Equal(t, saved.Revision, list(t, s)[0].Revision)
	require.Equal(t, "by hand", list(t, s)[0].Name)
}

// TestFilePagesOfAnyNames checks that files whose names belong to no id are sorted among the
// others, and that a page can end with one.
func TestFilePagesOfAnyNames(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	for _, id := range []string{"a", "c", "e"} {
		save(t, s, id, "one")
	}
	for _, name := range []string{"b.json", "d.json", "x.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600))
	}
	told := map[string]int{}
	for q := (workflow.Query{Limit: 1}); ; {
		page, err := s.List(t.Context(), q)
		require.NoError(t, err)
		require.Len(t, page.Items, 1)
		told[page.Items[0].ID]++
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	require.Equal(t, map[string]int{"a": 1, "b.json": 1, "c": 1, "d.json": 1, "e": 1, "x.json": 1}, told)
}

// TestFilePagesOfALargeDirectory checks the pages of a directory that takes several reads to list.
func TestFilePagesOfALargeDirectory(t *testing.T) {
	dir := t.TempDir()
	want := []string{}
	for n := range 3000 {
		want = append(want, fmt.Sprintf("%04d", n))
		name := want[n] + "-" + strings.Repeat("0", 32) + ".json"
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("{"), 0o600))
	}
	s := filestore.Open(dir)
	got := []string{}
	for q := (workflow.Query{Limit: workflow.MaxLimit}); ; {
		page, err := s.List(t.Context(), q)
		require.NoError(t, err)
		for i := range page.Items {
			got = append(got, page.Items[i].ID[:4])
		}
		if q.Cursor = page.NextCursor; q.Cursor == "" {
			break
		}
	}
	require.Equal(t, want, got)
}

// TestFilePageReadsNoOthers checks that a page reads only its own files.
func TestFilePageReadsNoOthers(t *testing.T) {
	dir := t.TempDir()
	save(t, filestore.Open(dir), "a", "one")
	save(t, filestore.Open(dir), "b", "one")
	s := filestore.Open(dir)
	first, err := s.List(t.Context(), workflow.Query{Limit: 1})
	require.NoError(t, err)
	paths, err := filepath.Glob(filepath.Join(dir, "b-*.json"))
	require.NoError(t, err)
	info, err := os.Stat(paths[0])
	require.NoError(t, err)
	// If the file had been read, the unchanged time and size would hide the change.
	require.NoError(t, os.WriteFile(paths[0], storetest.Definition("b", "two").Format(), 0o600))
	require.NoError(t, os.Chtimes(paths[0], time.Time{}, info.ModTime()))
	second, err := s.List(t.Context(), workflow.Query{Cursor: first.NextCursor})
	require.NoError(t, err)
	require.Equal(t, "two", second.Items[0].Name)
}

// TestFileUnchangedIsNotRead checks that an unchanged file is not read again, by hiding a change
// behind the same time and size.
func TestFileUnchangedIsNotRead(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	save(t, s, "w", "one")
	list(t, s)
	path := onlyFile(t, dir)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, storetest.Definition("w", "two").Format(), 0o600))
	require.NoError(t, os.Chtimes(path, time.Time{}, info.ModTime()))

	require.Equal(t, "one", nameOf(t, s, "w"))
	require.Equal(t, "one", list(t, s)[0].Name)
	require.Equal(t, "two", nameOf(t, filestore.Open(dir), "w"))
}

func TestFileDamaged(t *testing.T) {
	valid := string(storetest.Definition("w", "one").Format())
	for name, text := range map[string]string{
		"empty":       "",
		"torn":        valid[:len(valid)/2],
		"not strict":  strings.Replace(valid, `"name"`, `"nam"`, 1),
		"not JSON":    "<html>",
		"another one": string(storetest.Definition("v", "one").Format()),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := filestore.Open(dir)
			save(t, s, "w", "one")
			base := filepath.Base(onlyFile(t, dir))
			require.NoError(t, os.WriteFile(onlyFile(t, dir), []byte(text), 0o600))
			save(t, s, "x", "fine")

			_, err := s.Load(t.Context(), "w")
			require.ErrorIs(t, err, store.ErrDamaged)
			require.ErrorContains(t, err, base)
			require.NotContains(t, err.Error(), dir)
			checkDamagedList(t, list(t, s), strings.Contains(text, `"w"`), base)
			checkDamagedChanges(t, s)
		})
	}
}

func checkDamagedList(t *testing.T, metas []workflow.Meta, idReadable bool, base string) {
	t.Helper()
	require.Len(t, metas, 2)
	damaged, fine := metas[0], metas[1]
	if fine.Damaged {
		damaged, fine = fine, damaged
	}
	require.Equal(t, "fine", fine.Name)
	require.True(t, damaged.Damaged)
	require.Contains(t, damaged.Description, base)
	if idReadable {
		require.Equal(t, "w", damaged.ID)
	} else {
		require.Equal(t, base, damaged.ID)
	}
}

// checkDamagedChanges checks that a damaged file counts as stored: conditional saves do not
// overwrite it, a plain save does, and it becomes a revision.
func checkDamagedChanges(t *testing.T, s *filestore.Store) {
	t.Helper()
	def := storetest.Definition("w", "repaired")
	for _, cond := range []workflow.Condition{{Absent: true}, {Match: []string{""}}, {Match: []string{def.Digest()}}} {
		_, err := s.SaveIf(t.Context(), def, cond)
		require.ErrorIs(t, err, workflow.ErrConflict)
	}
	meta, err := s.SaveIf(t.Context(), def, workflow.Condition{Match: []string{workflow.Any}})
	require.NoError(t, err)
	require.Equal(t, 2, meta.Revision)
	revisions, err := s.Revisions(t.Context(), "w")
	require.NoError(t, err)
	require.True(t, revisions[1].Damaged)
	_, err = s.LoadRevision(t.Context(), "w", 1)
	require.ErrorIs(t, err, store.ErrDamaged)
}

func TestFileOfAnotherName(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	dropped := filepath.Join(dir, "dropped.json")
	require.NoError(t, os.WriteFile(dropped, storetest.Definition("w", "one").Format(), 0o600))
	metas := list(t, s)
	require.Len(t, metas, 1)
	require.True(t, metas[0].Damaged)
	require.Equal(t, "dropped.json", metas[0].ID)
	_, hint, ok := strings.Cut(metas[0].Description, "rename it to ")
	require.True(t, ok)

	require.NoError(t, os.Rename(dropped, filepath.Join(dir, hint)))
	require.Equal(t, "one", nameOf(t, s, "w"))
	require.False(t, list(t, s)[0].Damaged)
}

func TestFileUnreadable(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	save(t, s, "w", "one")
	require.NoError(t, os.Symlink("loop.json", filepath.Join(dir, "loop.json")))
	metas := list(t, s)
	require.Len(t, metas, 2)
	require.True(t, metas[0].Damaged)
	require.Equal(t, "loop.json", metas[0].ID)
	require.NotContains(t, metas[0].Description, dir)
	require.Equal(t, "one", metas[1].Name)
}

func TestFileIgnoresWhatIsNone(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	save(t, s, "w", "one")
	for _, name := range []string{".save.tmp", ".hidden.json", "README.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir.json"), 0o700))
	require.Len(t, list(t, s), 1)
	save(t, s, "w", "two")
	require.NoFileExists(t, filepath.Join(dir, ".save.tmp"))
}

func TestFileKeepsTheFirstAndTheNewestRevisions(t *testing.T) {
	s := filestore.Open(t.TempDir())
	first := save(t, s, "w", "1")
	for n := 2; n <= 120; n++ {
		save(t, s, "w", fmt.Sprint(n))
	}
	metas, err := s.Revisions(t.Context(), "w")
	require.NoError(t, err)
	require.Len(t, metas, 101)
	require.Equal(t, 120, metas[0].Revision)
	require.Equal(t, 21, metas[99].Revision)
	require.Equal(t, first, metas[100])
	require.Equal(t, first.CreatedAt, metas[0].CreatedAt)
	_, err = s.LoadRevision(t.Context(), "w", 20)
	require.ErrorIs(t, err, workflow.ErrNotFound)
}

func TestFileTimesGoForward(t *testing.T) {
	dir := t.TempDir()
	s := filestore.Open(dir)
	save(t, s, "w", "one")
	future := time.Now().Add(24 * time.Hour)
	require.NoError(t, os.Chtimes(onlyFile(t, dir), time.Time{}, future))
	require.True(t, save(t, s, "w", "two").UpdatedAt.After(future))
}

func TestFileWithoutADirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	s := filestore.Open(dir)
	def := storetest.Definition("w", "one")
	for name, do := range map[string]func() error{
		"list":      func() error { _, err := workflow.All(t.Context(), s.List); return err },
		"load":      func() error { _, err := s.Load(t.Context(), "w"); return err },
		"version":   func() error { _, err := s.Version(t.Context(), "w"); return err },
		"revisions": func() error { _, err := s.Revisions(t.Context(), "w"); return err },
		"save":      func() error { _, err := s.Save(t.Context(), def); return err },
		"delete":    func() error { return s.Delete(t.Context(), "w") },
	} {
		err := do()
		require.ErrorIs(t, err, syscall.ENOTDIR, name)
		require.False(t, errors.Is(err, workflow.ErrNotFound), name)
	}
}

func FuzzFileDamage(f *testing.F) {
	f.Add(storetest.Definition("w", "one").Format())
	f.Add([]byte(`{"nodes":[],"id":"w"`))
	f.Add([]byte(`{"id":{},"x":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		s := filestore.Open(dir)
		save(t, s, "w", "one")
		require.NoError(t, os.WriteFile(onlyFile(t, dir), text, 0o600))
		save(t, s, "x", "fine")
		metas := list(t, s)
		require.Len(t, metas, 2)
		_, err := s.Load(t.Context(), "w")
		damaged := metas[0].Damaged || metas[1].Damaged
		require.Equal(t, damaged, errors.Is(err, store.ErrDamaged))
		require.Equal(t, "fine", nameOf(t, s, "x"))
	})
}
