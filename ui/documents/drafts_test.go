package documents_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/ui/documents"
)

func TestDraftOfALivingWindow(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "drafts")
	mine, other := open(t, dir), open(t, dir)
	draft := mine.Begin(documents.Origin{})
	left(t, other, 0)
	require.NoError(t, draft.Save(definition("W")))
	left(t, other, 0)
	left(t, mine, 0)
	require.NoError(t, draft.Discard())
	left(t, other, 0)
	requireNoFiles(t, dir)

	require.ErrorIs(t, draft.Save(definition("late")), documents.ErrEnded)
	requireNoFiles(t, dir)
	require.NoError(t, draft.Discard())
}

func TestDraftIsForItsOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing")
	}
	dir := t.TempDir()
	require.NoError(t, open(t, dir).Begin(documents.Origin{}).Save(definition("")))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2)
	for _, e := range entries {
		info, err := e.Info()
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode(), e.Name())
	}
}

func TestDraftIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	drafts := open(t, dir)
	origin := documents.Origin{ID: "w", Server: "https://svc.example", Digest: "d1"}
	want := definition("<W> & Co")
	first := drafts.Begin(origin)
	require.NoError(t, first.Save(definition("before")))
	require.NoError(t, first.Save(want))
	require.NoError(t, first.Keep())

	found := left(t, drafts, 1)[0]
	require.Equal(t, origin, found.Origin)
	require.Equal(t, "<W> & Co", found.Name)
	require.WithinDuration(t, time.Now(), found.SavedAt, time.Minute)
	got, err := found.Read()
	require.NoError(t, err)
	require.Equal(t, want.Digest(), got.Digest())

	second, got, err := found.Take()
	require.NoError(t, err)
	require.Equal(t, want.Digest(), got.Digest())
	require.Equal(t, origin, second.Origin())
	left(t, open(t, dir), 0)
	_, _, err = found.Take()
	require.ErrorIs(t, err, documents.ErrTaken)
	require.ErrorIs(t, found.Remove(), documents.ErrTaken)

	require.NoError(t, second.Save(definition("after")))
	require.NoError(t, second.Keep())
	found = left(t, drafts, 1)[0]
	require.Equal(t, "after", found.Name)
	require.NoError(t, found.Remove())
	left(t, drafts, 0)
	requireNoFiles(t, dir)
	_, _, err = found.Take()
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestDraftsNewestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		drafts := open(t, t.TempDir())
		for _, name := range []string{"old", "new"} {
			draft := drafts.Begin(documents.Origin{})
			require.NoError(t, draft.Save(definition(name)))
			require.NoError(t, draft.Keep())
			time.Sleep(time.Minute) //nolint:forbidigo // the time of synctest
		}
		all := left(t, drafts, 2)
		require.Equal(t, []string{"new", "old"}, []string{all[0].Name, all[1].Name})
	})
}

func TestDamagedDraftHidesNoOther(t *testing.T) {
	dir := t.TempDir()
	drafts := open(t, dir)
	draft := drafts.Begin(documents.Origin{})
	require.NoError(t, draft.Save(definition("W")))
	require.NoError(t, draft.Keep())
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.json"), []byte(`{"name":"half`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.json"), []byte(`{"name":"B","savedAt":"2020-01-01T00:00:00Z","definition":{"id":1}}`), 0o600))
	for _, found := range left(t, drafts, 3) {
		_, err := found.Read()
		switch found.Name {
		case "W":
			require.NoError(t, err)
		case "B":
			require.NoError(t, found.Damage)
			require.ErrorContains(t, err, `the draft of "B"`)
			_, _, err = found.Take()
			require.Error(t, err)
			require.NoError(t, found.Remove(), "it must not stay locked")
		default:
			require.ErrorContains(t, found.Damage, "cannot be read")
			require.Equal(t, found.Damage, err)
			require.NoError(t, found.Remove())
		}
	}
	left(t, drafts, 1)
}

func TestARemovedDraftLeavesNoFiles(t *testing.T) {
	dir := t.TempDir()
	drafts := open(t, dir)
	draft := drafts.Begin(documents.Origin{})
	require.NoError(t, draft.Save(definition("W")))
	require.NoError(t, draft.Keep())
	texts, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(texts[0][:len(texts[0])-len("json")]+"tmp", []byte("half of it"), 0o600))
	require.NoError(t, left(t, drafts, 1)[0].Remove())
	requireNoFiles(t, dir)
}

func TestOldRemainsAreSwept(t *testing.T) {
	dir := t.TempDir()
	drafts := open(t, dir)
	long := time.Now().Add(-48 * time.Hour)
	for _, name := range []string{"a.lock", "a.tmp", "b.lock"} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		if name != "b.lock" {
			require.NoError(t, os.Chtimes(path, long, long))
		}
	}
	left(t, drafts, 0)
	require.NoFileExists(t, filepath.Join(dir, "a.lock"))
	require.NoFileExists(t, filepath.Join(dir, "a.tmp"))
	require.FileExists(t, filepath.Join(dir, "b.lock"), "somebody may be about to use it")
}

func TestDraftSurvivesAKill(t *testing.T) {
	dir := t.TempDir()
	drafts := open(t, dir)
	for round := range 5 {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), envDir+"="+dir)
		cmd.Stderr = os.Stderr
		stdout, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		saved, lines := 0, bufio.NewScanner(stdout)
		for saved < 3+round && lines.Scan() {
			saved, err = strconv.Atoi(lines.Text())
			require.NoError(t, err)
		}
		left(t, drafts, 0)
		require.NoError(t, cmd.Process.Kill())
		for lines.Scan() {
			saved, err = strconv.Atoi(lines.Text())
			require.NoError(t, err)
		}
		require.Error(t, cmd.Wait(), "it was killed")

		found := left(t, drafts, 1)[0]
		draft, def, err := found.Take()
		require.NoError(t, err)
		got, err := strconv.Atoi(def.Name)
		require.NoError(t, err)
		require.Contains(t, []int{saved, saved + 1}, got, "what was saved last, or what was being saved")
		require.NoError(t, draft.Save(definition("goes on")), "whatever the kill has left")
		require.NoError(t, draft.Discard())
		requireNoFiles(t, dir)
	}
}
