package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// scan enters what is in the directory. Of a run that has ended it reads the first
// line and the last, so that ten thousand take a fraction of a second.
func (s *RunFiles) scan() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	found := make([]*runEntry[fileRun], len(entries))
	var group errgroup.Group
	group.SetLimit(2 * runtime.GOMAXPROCS(0)) // half of them wait for the disk
	for i, entry := range entries {
		if name := entry.Name(); strings.HasSuffix(name, runSuffix) && !entry.IsDir() {
			group.Go(func() (err error) {
				found[i], err = s.inspect(name)
				return err
			})
		}
	}
	err = group.Wait()
	for _, e := range found {
		if e != nil {
			s.index.add(e)
		}
	}
	return err
}

// inspect returns the run in a file, or nil if there is none. A file that may be
// all right but cannot be read is logged and left alone, so that one bad file is
// not the end of the service.
func (s *RunFiles) inspect(name string) (*runEntry[fileRun], error) {
	e, err := s.readEntry(name)
	if errors.Is(err, errUnborn) {
		err = s.disk.Remove(filepath.Join(s.dir, name))
	}
	if noDescriptors(err) {
		return nil, err // it would be the same with the others
	}
	if err != nil {
		s.log.Error("the journal of a run cannot be read", "file", name, "error", err)
	}
	if errors.Is(err, errLine) {
		e = damagedEntry(s.dir, name)
	}
	return e, nil
}

// damagedEntry makes the best of a damaged journal: its name and its time.
func damagedEntry(dir, name string) *runEntry[fileRun] {
	info, err := os.Stat(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	return &runEntry[fileRun]{
		record: run.Record{
			RunID: strings.TrimSuffix(name, runSuffix), Status: engine.StatusFailed,
			StartedAt: info.ModTime(), FinishedAt: info.ModTime(),
		},
		bytes:   info.Size(),
		damaged: true,
	}
}

func (s *RunFiles) readEntry(name string) (*runEntry[fileRun], error) {
	f, err := s.disk.Open(filepath.Join(s.dir, name), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read from
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	e, err := readEntry(f, size)
	if err == nil && e.record.RunID+runSuffix != name {
		err = fmt.Errorf("%w: it holds the run %q", errLine, e.record.RunID)
	}
	if errors.Is(err, errLine) {
		err = errors.Join(err, unborn(f, size))
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// errUnborn says that a journal does not even have its first lines whole: a crash
// came before anybody was told that there is such a run.
var errUnborn = errors.New("not a whole start of a journal")

// unborn returns errUnborn if that is what is wrong with a journal.
func unborn(f io.ReaderAt, size int64) error {
	lines := readLines(f, 0, size, readBuffer)
	for range 2 {
		if _, err := lines.next(0); err != nil {
			cut, err := torn(f, lines.at, size)
			if err == nil && cut {
				err = errUnborn
			}
			return err
		}
	}
	return nil
}

// readEntry finds out what the index has to know about a journal.
func readEntry(f io.ReaderAt, size int64) (*runEntry[fileRun], error) {
	const usualHead = 1 << 10
	lines := readLines(f, 0, size, usualHead)
	summary, err := readSummary(lines)
	if err != nil {
		return nil, err
	}
	startAt := lines.at
	startSize, err := lines.peek()
	if err != nil {
		return nil, whole(err)
	}
	first := startAt + startSize
	e := &runEntry[fileRun]{
		record: summary.record(), key: summary.IdempotencyKey, digest: summary.RequestDigest,
		content: fileRun{marks: []mark{{1, first}}},
	}
	end, seq, err := readEnd(f, first, size)
	switch {
	case err != nil:
		return nil, err
	case seq > 0:
		e.record.Status, e.record.FinishedAt = end.Status, end.FinishedAt
		e.frames, e.bytes, e.content.terminal = seq-1, size, end.Offset
		return e, nil
	}
	return e, recoverFrames(e, f, startAt, size)
}

// whole turns the end of a file into damage, where something has to follow.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return errLine
	}
	return err
}

func readSummary(lines *lineReader) (runSummary, error) {
	l, err := lines.next(0)
	if err != nil {
		return runSummary{}, whole(err)
	}
	var summary runSummary
	if err := json.Unmarshal(l.data, &summary); err != nil || l.name != lineRun || summary.Version != journalVersion {
		return runSummary{}, fmt.Errorf("%w of version %d: %.80q", errLine, journalVersion, l.data)
	}
	return summary, nil
}

// readEnd returns the last line of a journal and its number, which is 0 if it is
// not the last line of a run that has ended.
func readEnd(f io.ReaderAt, first, size int64) (end lineEnd, seq int, err error) {
	const longest = 256
	tail := make([]byte, min(longest, size-first))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return end, 0, err
	}
	from := bytes.LastIndexByte(bytes.TrimSuffix(tail, []byte{'\n'}), '\n') + 1
	l, err := parseLine(tail[from:])
	if err != nil || l.name != lineFinal || json.Unmarshal(l.data, &end) != nil {
		return end, 0, nil
	}
	if l.seq < 2 || end.Offset < first {
		return end, 0, fmt.Errorf("%w: %.80q", errLine, l.data)
	}
	return end, l.seq, nil
}

// recoverFrames reads the second line, which begins at from, and the frames of a
// run that may not have ended. What a crash has left behind them is passed over,
// and cut off when the run goes on.
func recoverFrames(e *runEntry[fileRun], f io.ReaderAt, from, size int64) error {
	lines := readLines(f, from, size, readBuffer)
	if _, err := lines.next(0); err != nil {
		return whole(err)
	}
	for {
		e.bytes = lines.at
		l, err := lines.next(e.frames + 1)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLine):
			return tornOr(f, e.bytes, size)
		case err != nil:
			return err
		}
		e.content.addMark(mark{l.seq, e.bytes})
		e.frames++
		if engine.EventName(l.name).Terminal() {
			return recoverEnd(e, l, f, size)
		}
	}
}

// recoverEnd takes over the terminal frame l, behind which the last line is not
// as it should be.
func recoverEnd(e *runEntry[fileRun], l line, f io.ReaderAt, size int64) error {
	how, err := endingOf(l.frame())
	if err != nil {
		return fmt.Errorf("%w: %w", errLine, err)
	}
	e.record.Status, e.record.FinishedAt = how.Status, how.FinishedAt
	e.content.terminal = e.bytes
	e.bytes += l.size
	return tornOr(f, e.bytes, size)
}

// tornOr returns nil if what stands between two offsets is what a crash leaves
// behind, and errLine if it is damage.
func tornOr(f io.ReaderAt, from, end int64) error {
	ok, err := torn(f, from, end)
	if err == nil && !ok {
		err = fmt.Errorf("%w at byte %d", errLine, from)
	}
	return err
}
