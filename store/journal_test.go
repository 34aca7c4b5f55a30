package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// sample returns a journal, the frames in it, and where its first frame begins.
func sample(t testing.TB, ended bool) (text []byte, frames []run.Frame, first int) {
	t.Helper()
	start := run.Start{RunID: "r1", Definition: version(1), Inputs: map[string]any{"a": "b c"}}
	kept, err := encodeStart(start)
	require.NoError(t, err)
	_, text, err = newFileRun(kept)
	require.NoError(t, err)
	first = len(text)
	frames = []run.Frame{
		{Seq: 1, Name: engine.EventStarted, Data: []byte(`{"seq":1}`)},
		{Seq: 2, Name: engine.EventNode, Data: []byte(`{"seq":2,"text":"` + strings.Repeat("word ", 60) + `"}`)},
		{Seq: 3, Name: engine.EventProgress, Data: []byte(`{"seq":3}`)},
	}
	if ended {
		result := &engine.Result{RunID: "r1", WorkflowID: "w", Status: engine.StatusFailed}
		e := engine.Event{Name: engine.EventFailed, Seq: 4, Result: result}
		frames = append(frames, run.NewFrame(&e, e.AppendJSON(nil, engine.NoElision)))
	}
	for _, f := range frames {
		offset := int64(len(text))
		text, err = appendLine(text, f.Seq, string(f.Name), f.Data)
		require.NoError(t, err)
		if f.Name.Terminal() {
			text, err = appendEnd(text, f.Seq+1, lineEnd{ending{Status: engine.StatusFailed}, offset})
			require.NoError(t, err)
		}
	}
	return text, frames, first
}

// look reads all of a journal as a store does.
func look(text []byte) ([]run.Frame, error) {
	f := bytes.NewReader(text)
	e, err := readEntry(f, f.Size())
	if err != nil {
		return nil, err
	}
	if _, err := readStart(readLines(f, 0, e.bytes, readBuffer)); err != nil {
		return nil, err
	}
	frames, _, err := readFrames(e, f, 0, 1<<20)
	return frames, err
}

// What is there is what was written, or the journal is damaged: no flipped bit
// changes or hides anything.
func TestFlippedBits(t *testing.T) {
	ended, endedFrames, first := sample(t, true)
	unended, frames, _ := sample(t, false)
	for name, test := range map[string]struct {
		text   []byte
		frames []run.Frame
	}{"ended": {ended, endedFrames}, "not ended": {unended, frames}, "just started": {unended[:first], nil}} {
		text := bytes.Clone(test.text)
		for at := range text {
			for bit := range 8 {
				text[at] ^= 1 << bit
				got, err := look(text)
				if err != nil {
					require.ErrorIs(t, err, errLine)
					require.NoError(t, unborn(bytes.NewReader(text), int64(len(text))), "it would be removed")
				} else {
					require.Equal(t, test.frames, got, "%s, byte %d, bit %d", name, at, bit)
				}
				text[at] ^= 1 << bit
			}
		}
	}
}

// A journal that a crash has cut off, or that ends in zeros, has the frames that
// were whole. Without its first lines it is not a run yet.
func TestTornJournal(t *testing.T) {
	for _, ended := range []bool{false, true} {
		text, frames, first := sample(t, ended)
		for size := range text {
			for _, tail := range []int{0, 1, 700, 5000} {
				left := append(text[:size:size], make([]byte, tail)...)
				got, err := look(left)
				if size < first {
					require.ErrorIs(t, err, errLine, size)
					require.ErrorIs(t, unborn(bytes.NewReader(left), int64(len(left))), errUnborn)
					continue
				}
				require.NoError(t, err, size)
				require.Equal(t, frames[:len(got)], append([]run.Frame{}, got...))
				whole := bytes.Count(text[first:size], []byte{'\n'})
				require.Len(t, got, min(whole, len(frames)), size)
			}
		}
	}
}

// A run that was cut off goes on where it was whole.
func TestReopenTornRun(t *testing.T) {
	dir := t.TempDir()
	text, frames, _ := sample(t, true)
	path := filepath.Join(dir, "r1.run")
	require.NoError(t, os.WriteFile(path, text[:len(text)-200], 0o600))
	require.NoError(t, os.Truncate(path, int64(len(text)+5000)))
	s := openLogged(t, dir, io.Discard)
	j, err := s.Reopen(t.Context(), "r1")
	require.NoError(t, err)
	require.NoError(t, j.Append(frames[3]))
	require.NoError(t, s.Close())
	kept, err := os.ReadFile(path)
	require.NoError(t, err)
	got, err := look(kept)
	require.NoError(t, err)
	require.Equal(t, frames, got)
	require.Less(t, len(kept), len(text)+200)
}

// What a machine had written of the last blocks, and what not, is up to chance.
func TestHoleInJournal(t *testing.T) {
	text, frames, first := sample(t, false)
	for from := first; from < 511; from++ {
		holed := bytes.Clone(text)
		clear(holed[from:512])
		got, err := look(holed)
		require.NoError(t, err, from)
		require.Equal(t, frames[:len(got)], append([]run.Frame{}, got...))
		require.LessOrEqual(t, len(got), 1)
	}
}

func TestFramesThatNoJournalHolds(t *testing.T) {
	_, err := appendLine(nil, 1<<32, "event", nil)
	require.Error(t, err)
}

func FuzzJournal(f *testing.F) {
	for _, ended := range []bool{false, true} {
		text, _, first := sample(f, ended)
		for _, repaired := range []bool{false, true} {
			f.Add(text, repaired)
			f.Add(text[:len(text)-10], repaired)
			f.Add(append(text[:len(text)-5:len(text)-5], make([]byte, 600)...), repaired)
			f.Add(append(text[:first:first], text[first+38:]...), repaired)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, repaired bool) {
		if repaired {
			text = repair(text)
		}
		frames, err := look(text)
		if err != nil {
			require.True(t, errors.Is(err, errLine) || errors.Is(err, io.EOF), err)
			return
		}
		var want []byte
		for i, f := range frames {
			require.Equal(t, i+1, f.Seq)
			want, err = appendLine(want, f.Seq, string(f.Name), f.Data)
			require.NoError(t, err)
		}
		require.True(t, bytes.Contains(text, want), "all that is returned is there, with its checksums")
	})
}

// repair gives all lines the lengths and checksums that they should have, so that
// a fuzzer gets past those.
func repair(text []byte) []byte {
	var repaired []byte
	for l := range bytes.Lines(text) {
		var seq int
		if _, err := fmt.Sscanf(string(l[min(len(l), 18):min(len(l), 26)]), "%x", &seq); err != nil || len(l) < headSize {
			repaired = append(repaired, l...)
			continue
		}
		name, data, _ := strings.Cut(strings.TrimSuffix(string(l[headSize:]), "\n"), " ")
		if fixed, err := appendLine(repaired, seq, name, []byte(data)); err == nil {
			repaired = fixed
		}
	}
	return repaired
}
