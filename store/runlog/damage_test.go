package runlog

import (
	"bytes"
	"errors"
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
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runindex"
	"github.com/svcflow/svc/store/internal/vfs/vfstest"
)

// The sample has two runs whose frames alternate.
const (
	hurtRun  = "01990000-0000-7000-8000-00000000000a"
	otherRun = "01990000-0000-7000-8000-00000000000b"
)

func sampleFrames(runID string, ended bool) []run.Frame {
	frames := []run.Frame{
		{Seq: 1, Name: engine.EventStarted, Data: []byte(`{"seq":1,"runId":"` + runID + `"}`)},
		{Seq: 2, Name: engine.EventNode, Data: []byte(`{"seq":2,"runId":"` + runID + `","text":"` + strings.Repeat("word ", 60) + `"}`)},
		{Seq: 3, Name: engine.EventProgress, Data: []byte(`{"seq":3,"runId":"` + runID + `"}`)},
	}
	if ended {
		result := &engine.Result{RunID: runID, WorkflowID: "w", Status: engine.StatusFailed}
		e := engine.Event{Name: engine.EventFailed, Seq: 4, RunID: runID, Result: result}
		frames = append(frames, run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision)))
	}
	return frames
}

// sample writes two runs whose frames alternate, and returns their log.
func sample(t testing.TB, ended bool) []byte {
	t.Helper()
	dir := t.TempDir()
	s, err := Open(dir, Options{})
	require.NoError(t, err)
	var journals []store.Journal
	for _, id := range []string{hurtRun, otherRun} {
		j, err := s.Create(t.Context(), run.Start{RunID: id, Definition: &workflow.Definition{ID: "w", Name: fmt.Sprint(1)}, Inputs: map[string]any{"a": "b c"}})
		require.NoError(t, err)
		journals = append(journals, j)
	}
	for seq := range sampleFrames(hurtRun, ended) {
		for i, id := range []string{hurtRun, otherRun} {
			require.NoError(t, journals[i].Append(sampleFrames(id, ended)[seq]))
		}
	}
	require.NoError(t, s.Close())
	text, err := os.ReadFile(filepath.Join(dir, segmentName(1)))
	require.NoError(t, err)
	return text
}

// openText opens a store whose log is text.
func openText(t testing.TB, dir string, text []byte, log io.Writer) *Store {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(1)), text, 0o600))
	s, err := openRuns(dir, Options{Log: slog.New(slog.NewTextHandler(log, nil))}, vfstest.Hasty{})
	require.NoError(t, err)
	return s
}

// look reads the record and all frames of a run.
func look(t testing.TB, s *Store, id string) ([]run.Frame, engine.Status, error) {
	t.Helper()
	record, err := s.Record(t.Context(), id)
	if err != nil {
		return nil, 0, err
	}
	start, err := s.Start(t.Context(), id)
	if err != nil {
		return nil, 0, err
	}
	require.Equal(t, map[string]any{"a": "b c"}, start.Inputs)
	frames, err := s.Frames(t.Context(), id, 0, 1<<20)
	return frames, record.Status, err
}

// TestFlippedBits flips each bit of a log. Reads return what was written or report damage, and only
// the run of the damaged line is affected, unless the line is the shared document.
func TestFlippedBits(t *testing.T) {
	for _, ended := range []bool{true, false} {
		text := sample(t, ended)
		document := bytes.IndexByte(text, '\n')
		dir := t.TempDir()
		for at := range text {
			for bit := at % 8; bit < 8; bit += 8 {
				text[at] ^= 1 << bit
				s := openText(t, dir, text, io.Discard)
				hurt := 0
				for _, id := range []string{hurtRun, otherRun} {
					frames, status, err := look(t, s, id)
					if err != nil {
						require.True(t, errors.Is(err, store.ErrRunDamaged), "byte %d, bit %d: %v", at, bit, err)
						hurt++
						continue
					}
					require.Equal(t, sampleFrames(id, ended), frames, "byte %d, bit %d", at, bit)
					require.Equal(t, ended, status != engine.StatusRunning)
				}
				require.True(t, hurt == 1 || hurt == 2 && at <= document, "byte %d, bit %d of %q hurts %d", at, bit, text[at], hurt)
				require.NoError(t, s.Close())
				text[at] ^= 1 << bit
			}
		}
	}
}

// TestTornLog checks that a truncated log, or one that ends in zeros, keeps all complete frames.
func TestTornLog(t *testing.T) {
	text, dir := sample(t, true), t.TempDir()
	var log bytes.Buffer
	for size := len(text); size >= 0; size -= 5 {
		for _, tail := range []int{0, 1, 700} {
			left := append(text[:size:size], make([]byte, tail)...)
			s := openText(t, dir, left, &log)
			for _, id := range []string{hurtRun, otherRun} {
				got, status, err := look(t, s, id)
				if errors.Is(err, store.ErrRunNotFound) {
					continue
				}
				require.NoError(t, err, size)
				require.Equal(t, sampleFrames(id, true)[:len(got)], append([]run.Frame{}, got...))
				require.Equal(t, len(got) == 4, status != engine.StatusRunning)
				if len(got) < 4 {
					j, err := s.Reopen(t.Context(), id)
					require.NoError(t, err)
					for _, f := range sampleFrames(id, true)[len(got):] {
						require.NoError(t, j.Append(f))
					}
				}
			}
			require.NoError(t, s.Close())
			after, err := openRuns(dir, Options{}, vfstest.Hasty{})
			require.NoError(t, err)
			for _, id := range []string{hurtRun, otherRun} {
				if got, _, err := look(t, after, id); err == nil {
					require.Equal(t, sampleFrames(id, true), got, "it went on where it was whole")
				}
			}
			require.NoError(t, after.Close())
		}
	}
	require.NotContains(t, log.String(), "damaged")
}

// TestDamagedRuns checks that damage is reported once, affects one run, and that retention removes
// that run like others.
func TestDamagedRuns(t *testing.T) {
	text, dir := sample(t, true), t.TempDir()
	at := bytes.Index(text, []byte("word"))
	text[at] ^= 1
	var log bytes.Buffer
	s := openText(t, dir, text, &log)
	require.Equal(t, 1, strings.Count(log.String(), "the log of runs is damaged"))
	require.Contains(t, log.String(), hurtRun)
	require.NotContains(t, log.String(), otherRun)
	page, err := s.Records(t.Context(), run.Query{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	_, err = s.Reopen(t.Context(), hurtRun)
	require.ErrorIs(t, err, store.ErrRunDamaged)
	require.NotContains(t, err.Error(), dir)
	ids, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Empty(t, ids)
	require.NoError(t, s.Delete(t.Context(), hurtRun))
	_, err = s.Record(t.Context(), hurtRun)
	require.ErrorIs(t, err, store.ErrRunNotFound)
	require.NoError(t, s.Close())
}

// TestDamageIsFoundByReaders damages the log while a store has it open. The next read reports it.
func TestDamageIsFoundByReaders(t *testing.T) {
	text, dir := sample(t, true), t.TempDir()
	var log bytes.Buffer
	s := openText(t, dir, text, &log)
	text[bytes.Index(text, []byte("word"))] ^= 1
	require.NoError(t, os.WriteFile(filepath.Join(dir, segmentName(1)), text, 0o600))
	for range 3 {
		_, _, err := look(t, s, hurtRun)
		require.ErrorIs(t, err, store.ErrRunDamaged)
	}
	require.Equal(t, 1, strings.Count(log.String(), "cannot be read"))
	_, _, err := look(t, s, otherRun)
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// TestEarlierRunsAreRefused checks that files of an earlier format are refused, and named.
func TestEarlierRunsAreRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, hurtRun+".run"), []byte("x"), 0o600))
	_, err := Open(dir, Options{})
	require.ErrorContains(t, err, hurtRun+".run")
}

func TestLongestPage(t *testing.T) {
	var x runindex.Index[int]
	for n := range run.MaxLimit + 1 {
		x.Add(&runindex.Entry[int]{Record: runindex.Brief{RunID: time.Unix(int64(n), 0).String(), Status: engine.StatusRunning}})
	}
	page, err := x.Page(run.Query{Limit: 1 << 20})
	require.NoError(t, err)
	require.Len(t, page.Items, run.MaxLimit)
	require.NotEmpty(t, page.NextCursor)
}

// FuzzLog opens arbitrary logs. Nothing panics, and every frame that is returned is in the log with
// a valid checksum.
func FuzzLog(f *testing.F) {
	for _, ended := range []bool{false, true} {
		text := sample(f, ended)
		f.Add(text, 0, byte(0))
		f.Add(text[:len(text)-10], 300, byte(1))
		f.Add(append(text[:len(text)-5:len(text)-5], make([]byte, 600)...), 0, byte(0))
		f.Add(append(bytes.Clone(text), text[len(text)/2:]...), 900, byte(4)) // the second half of the log twice
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, at int, flip byte) {
		text = bytes.Clone(text)
		if at >= 0 && at < len(text) {
			text[at] ^= flip
		}
		s := openText(t, dir, text, io.Discard)
		page, err := s.Records(t.Context(), run.Query{})
		require.NoError(t, err)
		for _, r := range page.Items {
			frames, err := s.Frames(t.Context(), r.RunID, 0, 1<<20)
			if err != nil {
				require.ErrorIs(t, err, store.ErrRunDamaged)
				continue
			}
			for i, f := range frames {
				require.Equal(t, i+1, f.Seq)
				require.True(t, bytes.Contains(text, f.Data))
			}
			_, _ = s.Start(t.Context(), r.RunID)
		}
		require.NoError(t, s.Close())
	})
}
