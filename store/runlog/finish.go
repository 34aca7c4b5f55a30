package runlog

import (
	"context"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
)

// Finish implements [store.RunStore].
func (s *Store) Finish(ctx context.Context, lasts []store.Last) []error {
	s.open.RLock()
	defer s.open.RUnlock()
	f := finisher{runs: s, total: len(lasts), text: make([]byte, 0, min(flushBytes, len(lasts)*runtext.SummaryRoom))}
	for i := range lasts {
		f.errs.Note(i, f.total, opFinish, f.add(ctx, i, &lasts[i]))
		if len(f.text) > flushBytes {
			f.flush()
		}
	}
	f.flush()
	f.commit()
	s.prune()
	s.ballast.fill()
	return f.errs
}

// opFinish is the operation that errors name.
const opFinish = "finish run"

// finisher writes the last lines of many runs with few calls, and waits for the disk once.
type finisher struct {
	runs  *Store
	errs  runtext.EachError
	total int // number of runs to end

	text    []byte // lines to write
	lines   []byte // of one run; the buffer is reused
	queued  []finalLines
	written []logPos
	ended   []finalLines // written, not yet synced
}

// finalLines are the last lines of a run.
type finalLines struct {
	i       int // index in the argument of Finish
	journal *journal
	how     runtext.Ending
	at      logPos // in text; after flush, in the log
}

// add queues the last lines of a run.
func (f *finisher) add(ctx context.Context, i int, last *store.Last) error {
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
	at := logPos{From: uint32(len(f.text)), Size: uint32(len(j.batch.text))}
	f.text = append(f.text, j.batch.text...)
	f.lines, j.batch.text = j.batch.text, nil // batch keeps the positions of its lines
	f.queued = append(f.queued, finalLines{i, j, how, at})
	return nil
}

// flush writes the queued lines.
func (f *finisher) flush() {
	if len(f.queued) == 0 {
		return
	}
	at, err := f.runs.write(f.text)
	if err == nil {
		f.written = append(f.written, at)
	}
	for _, e := range f.queued {
		if err != nil {
			e.journal.abandon()
			f.errs.Note(e.i, f.total, opFinish, err)
			continue
		}
		e.at = e.at.offsetBy(at)
		f.ended = append(f.ended, e)
	}
	clear(f.queued)
	f.text, f.queued = f.text[:0], f.queued[:0]
}

// commit waits for the disk and then updates the index.
func (f *finisher) commit() {
	if len(f.written) == 0 {
		return
	}
	s := f.runs
	if err := s.out.wait(f.written[len(f.written)-1]); err != nil {
		for _, e := range f.ended {
			e.journal.writeVoid()
			e.journal.abandon()
			f.errs.Note(e.i, f.total, opFinish, err)
		}
	} else {
		s.index.Mu.Lock()
		for _, e := range f.ended {
			e.journal.end(e.at, e.how)
		}
		s.index.Mu.Unlock()
	}
	for _, at := range f.written {
		s.out.markIndexed(at)
	}
}

// abandon releases a claimed run, so that it can be ended again.
func (j *journal) abandon() {
	s, e := j.runs, j.entry
	s.index.Mu.Lock()
	defer s.index.Mu.Unlock()
	e.Writing, e.Content.open.journal = false, nil
}
