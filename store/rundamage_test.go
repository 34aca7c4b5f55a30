package store

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// A damaged journal costs its run, and nothing else.
func TestDamagedRuns(t *testing.T) {
	dir := t.TempDir()
	text, _, first := sample(t, true)
	unended, frames, _ := sample(t, false)
	flip := func(at int) []byte {
		damaged := bytes.Clone(text)
		damaged[at] ^= 1
		return damaged
	}
	for name, text := range map[string][]byte{
		"r1.run": unended, "head.run": flip(40), "renamed.run": text, "empty.run": {}, "else.run": []byte("<html>\n"),
		"note.txt": []byte("not ours"),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	var log bytes.Buffer
	s := openLogged(t, dir, &log)
	require.Equal(t, []string{"r1"}, idsOf(t, s))
	for _, id := range []string{"head", "renamed", "else"} {
		_, err := s.Record(t.Context(), id)
		require.ErrorIs(t, err, ErrRunDamaged)
		require.NotContains(t, err.Error(), dir)
		_, err = s.Reopen(t.Context(), id)
		require.ErrorIs(t, err, ErrRunDamaged)
	}
	require.Equal(t, 3, strings.Count(log.String(), "cannot be read"))
	require.NoFileExists(t, filepath.Join(dir, "empty.run"))
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"r1"}, ids)
	got, err := s.Frames(t.Context(), "r1", 0, 1<<20)
	require.NoError(t, err)
	require.Equal(t, frames, got)
	require.NoError(t, s.Close())

	// In the middle of a run that has ended, it is noticed only when that is read.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "r1.run"), flip(first+100), 0o600))
	log.Reset()
	s = openLogged(t, dir, &log)
	require.Equal(t, []string{"r1"}, idsOf(t, s))
	for range 3 {
		_, err = s.Frames(t.Context(), "r1", 0, 1<<20)
		require.ErrorIs(t, err, ErrRunDamaged)
	}
	require.Empty(t, idsOf(t, s))
	require.Equal(t, 1, strings.Count(log.String(), "r1.run"))
	require.NoError(t, s.Close())

	// It makes room as others do.
	s, err = openRuns(dir, Retention{Runs: 1}, nil, osDisk{})
	require.NoError(t, err)
	left, err := filepath.Glob(filepath.Join(dir, "[^.]*"))
	require.NoError(t, err)
	require.Len(t, left, 2, "one run and what is none: %v", left)
	require.NoError(t, s.Close())
}

// A run that is found to be damaged while it is being written still ends, and
// makes room after that.
func TestDamagedWhileRunning(t *testing.T) {
	dir := t.TempDir()
	s, err := openRuns(dir, Retention{Runs: 1}, nil, osDisk{})
	require.NoError(t, err)
	_, frames, first := sample(t, true)
	run := func(id string) (Journal, string) {
		j, err := s.Create(t.Context(), run.Start{RunID: id, Definition: version(1)})
		require.NoError(t, err)
		for _, f := range frames[:3] {
			require.NoError(t, j.Append(f))
		}
		return j, filepath.Join(dir, id+".run")
	}
	damaged, path := run("r1")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text[first+100] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	_, err = s.Frames(t.Context(), "r1", 0, 1<<20)
	require.ErrorIs(t, err, ErrRunDamaged)
	require.Empty(t, idsOf(t, s))
	for _, id := range []string{"r2", "r3"} {
		j, _ := run(id)
		require.NoError(t, j.Append(frames[3]))
		require.FileExists(t, path)
	}
	require.NoError(t, damaged.Append(frames[3]))
	j, _ := run("r4")
	require.NoError(t, j.Append(frames[3]))
	require.NoFileExists(t, path)
	require.NoError(t, s.Close())
}

// One that nobody writes to makes room as if it had ended when that was found.
func TestDamagedUnfinished(t *testing.T) {
	dir := t.TempDir()
	text, _, first := sample(t, false)
	path := filepath.Join(dir, "r1.run")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	s, err := openRuns(dir, Retention{Runs: 1}, nil, osDisk{})
	require.NoError(t, err)
	text[first+100] ^= 1
	require.NoError(t, os.WriteFile(path, text, 0o600))
	_, err = s.Frames(t.Context(), "r1", 0, 1<<20)
	require.ErrorIs(t, err, ErrRunDamaged)

	j, err := s.Create(t.Context(), run.Start{RunID: "r2", Definition: version(1)})
	require.NoError(t, err)
	require.FileExists(t, path)
	result := &engine.Result{Status: engine.StatusCompleted, FinishedAt: time.Now().Add(time.Hour)}
	last := engine.Event{Name: engine.EventCompleted, Seq: 1, Result: result}
	require.NoError(t, j.Append(run.NewFrame(&last, last.AppendJSON(nil, engine.NoElision))))
	require.NoFileExists(t, path)
	require.NoError(t, s.Close())
}

// A last line that fits its checksum but not the journal is damage too.
func TestEndThatCannotBe(t *testing.T) {
	text, _, first := sample(t, false)
	for _, end := range []struct {
		seq    int
		offset int64
	}{{1, int64(first)}, {4, 0}, {4, -1}, {4, int64(first)}, {4, 1 << 40}} {
		damaged, err := appendEnd(bytes.Clone(text), end.seq, lineEnd{ending{Status: engine.StatusFailed}, end.offset})
		require.NoError(t, err)
		f := bytes.NewReader(damaged)
		e, err := readEntry(f, f.Size())
		if err == nil {
			_, err = readTerminal(e, f)
		}
		require.ErrorIs(t, whole(err), errLine, "%+v", end)
	}
}

func TestLongestPage(t *testing.T) {
	var x runIndex[int]
	for n := range run.MaxLimit + 1 {
		x.add(&runEntry[int]{record: run.Record{RunID: fmt.Sprint(n), Status: engine.StatusRunning}})
	}
	page, err := x.page(run.Query{Limit: 1 << 20})
	require.NoError(t, err)
	require.Len(t, page.Items, run.MaxLimit)
	require.NotEmpty(t, page.NextCursor)
}

func openLogged(t *testing.T, dir string, log io.Writer) *RunFiles {
	t.Helper()
	s, err := FileRuns(dir, Retention{}, slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	return s
}

func idsOf(t *testing.T, s RunStore) []string {
	t.Helper()
	page, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	var ids []string
	for _, r := range page.Items {
		ids = append(ids, r.RunID)
	}
	return ids
}
