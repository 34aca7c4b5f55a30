package runlog

import (
	"runtime"
	"time"

	"github.com/svcflow/svc/store/internal/runindex"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/engine"
)

// sidecarsAtOnce is how many sidecars are in memory: each of them takes megabytes where
// runs are short.
const sidecarsAtOnce = 2

// manyUnknown is how many segments without sidecars make a start so long that it says why.
const manyUnknown = 16

// segments takes over what some segments hold.
func (l *loader) segments(numbers []uint32, last uint32) error {
	s := l.runs
	sidecars := s.readSidecars(numbers)
	for i, number := range numbers {
		g := s.segment(number)
		if sidecars[i] != nil && number != last {
			l.takeSidecar(number, sidecars[i])
			g.indexed = true
			continue
		}
		if l.read++; l.read == manyUnknown {
			s.log.Info("much of the recorded runs has to be read to know what is there, as nothing tells; that takes some seconds for each 10 GB, once")
		}
		end, err := l.scan(number)
		if err != nil {
			return err
		}
		if number == last {
			if err := s.out.resume(number, end); err != nil {
				return err
			}
			continue
		}
		l.settle(number)
	}
	return nil
}

// readSidecars reads those of some segments; nil stands for one that is not there.
func (s *Store) readSidecars(numbers []uint32) []*sidecar {
	all := make([]*sidecar, len(numbers))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, number := range numbers {
		group.Go(func() error {
			all[i] = s.readSidecar(number)
			return nil
		})
	}
	_ = group.Wait() // none fails
	return all
}

func (s *Store) readSidecar(number uint32) *sidecar {
	c := &sidecar{}
	if !s.readSide(number, 0, c) || c.Form != sidecarForm {
		return nil
	}
	return c
}

// takeSidecar takes over what the sidecar of a segment tells.
func (l *loader) takeSidecar(number uint32, c *sidecar) {
	documents := make([]*runDocument, len(c.Documents))
	for i, d := range c.Documents {
		documents[i] = l.document(d.Digest)
		documents[i].at = d.At
	}
	for i := range c.Runs {
		side := &c.Runs[i]
		if side.Document < len(documents) {
			l.takeSide(l.ofSide(side, documents[side.Document]))
		}
	}
	c.Open.enter(l.begun, number)
	for _, k := range c.Keys {
		l.runs.index.Hold(runindex.HeldKey{Key: k.Key, RunID: k.RunID, Digest: k.Digest, StartedAt: time.UnixMicro(k.Started).UTC(), Segment: number})
	}
	for _, g := range c.Graves {
		l.delete(number, g.RunID, g.First)
	}
}

// takeSide takes over a run that has ended, or that begins there unless its end is known already,
// since that sidecar is younger than others.
func (l *loader) takeSide(e *runindex.Entry[fileRun]) {
	old := l.entries[e.Record.RunID]
	if old == nil || e.Content.open == nil || old.Content.first != e.Content.first {
		l.put(e)
	}
}

func (l *loader) ofSide(side *sideRun, d *runDocument) *runindex.Entry[fileRun] {
	e := &runindex.Entry[fileRun]{
		Record: runindex.Brief{
			RunID: side.ID, WorkflowID: l.intern(side.Workflow), Status: engine.Status(side.Status),
			StartedAt: side.Started, FinishedAt: side.Finished, ResumedFrom: side.ResumedFrom,
		},
		Request: runindex.Keyed(side.Key, side.Digest), Frames: side.Frames, Bytes: side.Bytes, Damaged: side.Damaged,
		Content: fileRun{first: side.First, last: side.Last, document: d, parts: side.Parts},
	}
	if by := side.StartedBy; by.Type != "" {
		e.Record.StartedBy = &by
	}
	if e.Running() {
		e.Content.open = &openRun{}
	}
	return e
}
