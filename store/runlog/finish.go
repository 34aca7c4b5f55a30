package runlog

import (
	"context"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
)

// Finish implements [RunStore].
func (s *Store) Finish(ctx context.Context, lasts []store.Last) []error {
	s.open.RLock()
	defer s.open.RUnlock()
	f := finishing{runs: s, of: len(lasts), text: make([]byte, 0, min(keptText, len(lasts)*runtext.SummaryRoom))}
	for i := range lasts {
		f.errs.Note(i, f.of, finishRun, f.take(ctx, i, &lasts[i]))
		if len(f.text) > keptText {
			f.flush()
		}
	}
	f.flush()
	f.settle()
	s.prune()
	s.room.fill()
	return f.errs
}

// finishRun is what is said to be impossible.
const finishRun = "finish run"

// finishing writes the last lines of many runs in few calls, and waits once for the disk.
type finishing struct {
	runs *Store
	errs runtext.EachError
	of   int // runs that are to end

	text    []byte // lines that are to be written
	lines   []byte // of one run
	ends    []finalLines
	wrote   []place
	written []finalLines // in the log
}

// finalLines are the last lines of a run.
type finalLines struct {
	i       int // among those that are to end
	journal *fileJournal
	how     runtext.Ending
	at      place // in the text; once they are written, in the log
}

// take has a run ended, at the latest with the next flush.
func (f *finishing) take(ctx context.Context, i int, last *store.Last) error {
	if err := runtext.CheckLast(&last.Frame); err != nil {
		return err
	}
	j, err := f.runs.reopen(ctx, last.RunID)
	if err != nil {
		return err
	}
	j.batch.text = f.lines
	how, err := j.compose(&last.Frame)
	if err != nil {
		j.abandon()
		return err
	}
	at := place{From: uint32(len(f.text)), Size: uint32(len(j.batch.text))}
	f.text = append(f.text, j.batch.text...)
	f.lines, j.batch.text = j.batch.text, nil // what is left of the batch tells where things are
	f.ends = append(f.ends, finalLines{i, j, how, at})
	return nil
}

// flush writes the text.
func (f *finishing) flush() {
	if len(f.ends) == 0 {
		return
	}
	at, err := f.runs.write(f.text)
	if err == nil {
		f.wrote = append(f.wrote, at)
	}
	for _, e := range f.ends {
		if err != nil {
			e.journal.abandon()
			f.errs.Note(e.i, f.of, finishRun, err)
			continue
		}
		e.at = e.at.behind(at)
		f.written = append(f.written, e)
	}
	clear(f.ends)
	f.text, f.ends = f.text[:0], f.ends[:0]
}

// settle waits for the disk, and makes known what it has by then.
func (f *finishing) settle() {
	if len(f.wrote) == 0 {
		return
	}
	s := f.runs
	if err := s.out.wait(f.wrote[len(f.wrote)-1]); err != nil {
		for _, e := range f.written {
			e.journal.void()
			e.journal.abandon()
			f.errs.Note(e.i, f.of, finishRun, err)
		}
	} else {
		s.index.Mu.Lock()
		for _, e := range f.written {
			e.journal.end(e.at, e.how)
		}
		s.index.Mu.Unlock()
	}
	for _, at := range f.wrote {
		s.out.known(at)
	}
}

// abandon gives up a run that was claimed, for the next one who wants to end it.
func (j *fileJournal) abandon() {
	s, e := j.runs, j.entry
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	e.Writing, e.Content.open.journal = false, nil
}
