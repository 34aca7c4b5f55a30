package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
)

// runIndex is what a run store knows about its runs without reading them. C is
// where it keeps the rest. Whoever uses the index holds mu, unless a method says
// that it takes it.
type runIndex[C any] struct {
	mu    sync.Mutex
	runs  map[string]*runEntry[C] // nil while a run is being created
	order []*runEntry[C]          // by start
	ended []*runEntry[C]          // by end, damaged ones included
	bytes int64                   // of all runs
	keys  map[string]heldKey      // idempotency keys, which live on their own
	swept time.Time               // when those that live no more were last forgotten
}

type runEntry[C any] struct {
	record  brief
	request *keyedRequest // nil without an idempotency key
	frames  int
	bytes   int64
	writing bool // somebody has the journal
	damaged bool
	content C
}

// running reports whether the run goes on.
func (e *runEntry[C]) running() bool { return e.record.Status.GoesOn() }

// reserve takes an id for a run that is going to be created, under an idempotency key
// or "".
func (x *runIndex[C]) reserve(runID, key string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if key != "" && x.fullOfKeys(time.Now()) {
		return ErrTooManyKeys
	}
	if _, ok := x.runs[runID]; ok {
		return fmt.Errorf("run %s: %w", runID, fs.ErrExist)
	}
	if x.runs == nil {
		x.runs = map[string]*runEntry[C]{}
	}
	x.runs[runID] = nil
	return nil
}

// release gives up an id that was reserved. It takes mu.
func (x *runIndex[C]) release(runID string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.runs, runID)
}

// add enters a run, whose id may be reserved.
func (x *runIndex[C]) add(e *runEntry[C]) {
	if x.runs == nil {
		x.runs = map[string]*runEntry[C]{}
	}
	x.runs[e.record.RunID] = e
	x.order = insertLate(x.order, e, byStart)
	x.bytes += e.bytes
	if e.request != nil {
		x.hold(e.heldKey())
	}
	if !e.running() || e.damaged {
		x.enterEnded(e)
	}
}

// addAll enters the first runs there are, also by their ids.
func (x *runIndex[C]) addAll(all []*runEntry[C], byID map[string]*runEntry[C]) {
	slices.SortFunc(all, byStart)
	x.order, x.runs = all, byID
	for _, e := range all {
		x.bytes += e.bytes
		if !e.running() || e.damaged {
			x.ended = append(x.ended, e)
		}
	}
	slices.SortFunc(x.ended, byEnd)
}

func (x *runIndex[C]) enterEnded(e *runEntry[C]) {
	x.ended = insertLate(x.ended, e, byEnd)
}

// nearby is how far from the end of a list what comes late belongs into it, as a rule, and
// how far from its beginning what goes early stands.
const nearby = 32

// insertLate puts e where it belongs in a list. That is near the end as a rule, so it is
// looked for there first.
func insertLate[C any](list []*runEntry[C], e *runEntry[C], compare func(a, b *runEntry[C]) int) []*runEntry[C] {
	at := len(list)
	for at > 0 && len(list)-at < nearby && compare(list[at-1], e) > 0 {
		at--
	}
	if at > 0 && len(list)-at == nearby {
		at, _ = slices.BinarySearchFunc(list[:at], e, compare)
	}
	return slices.Insert(list, at, e)
}

// removeEarly takes e out of a list, near the beginning of which it is as a rule: what is
// before it moves up.
func removeEarly[C any](list []*runEntry[C], e *runEntry[C], compare func(a, b *runEntry[C]) int) []*runEntry[C] {
	at := slices.Index(list[:min(nearby, len(list))], e)
	if at < 0 {
		at, _ = slices.BinarySearchFunc(list, e, compare)
	}
	if at > len(list)/2 {
		return slices.Delete(list, at, at+1)
	}
	copy(list[1:], list[:at])
	list[0] = nil
	return list[1:]
}

// count counts a frame that is not the last one, with which a run that waited begins.
func (e *runEntry[C]) count() {
	e.frames++
	if e.record.Status == engine.StatusWaiting {
		e.record.Status = engine.StatusRunning
	}
}

// grow counts a frame that was added to a run, of so many bytes in all.
func (x *runIndex[C]) grow(e *runEntry[C], size int64) {
	e.count()
	e.bytes += size
	x.bytes += size
}

// end notes how a run has ended.
func (x *runIndex[C]) end(e *runEntry[C], how ending) {
	e.record.end(how)
	e.writing = false
	x.enterEnded(e)
}

// damage notes that a run cannot be read, and reports whether that is news. Unless
// it is still being written, the run counts as ended from now on, so that it makes
// room one day.
func (x *runIndex[C]) damage(e *runEntry[C], now time.Time) bool {
	if e.damaged {
		return false
	}
	e.damaged = true
	if e.running() && !e.writing {
		e.record.FinishedAt = momentOf(now)
		x.enterEnded(e)
	}
	return true
}

// get returns a run, or [ErrRunNotFound] or [ErrRunDamaged].
func (x *runIndex[C]) get(runID string) (*runEntry[C], error) {
	e := x.runs[runID]
	switch {
	case e == nil:
		return nil, ErrRunNotFound
	case e.damaged:
		return nil, fmt.Errorf("%w %s", ErrRunDamaged, runID)
	}
	return e, nil
}

// record describes a run.
func (x *runIndex[C]) record(runID string) (run.Record, error) {
	e, err := x.get(runID)
	if err != nil {
		return run.Record{}, fmt.Errorf("find run: %w", err)
	}
	r := e.record.record()
	r.Frames = e.frames
	return r, nil
}

// claim returns an unfinished run to the one who is going to write to it.
func (x *runIndex[C]) claim(runID string) (*runEntry[C], error) {
	e, err := x.get(runID)
	if err != nil {
		return nil, err
	}
	if !e.running() || e.writing {
		return nil, fmt.Errorf("run %s has ended or is being written", runID)
	}
	e.writing = true
	return e, nil
}

// unfinished returns the ids of the runs that wait for a claim, in order of their
// starts.
func (x *runIndex[C]) unfinished() []string {
	var ids []string
	for _, e := range x.order {
		if e.running() && !e.writing && !e.damaged {
			ids = append(ids, e.record.RunID)
		}
	}
	return ids
}

// prune forgets the runs that have to make room, and returns them. The one that
// ended last goes only for its age: somebody may be waiting to see its end.
func (x *runIndex[C]) prune(keep Retention, now time.Time) []*runEntry[C] {
	n := 0
	for ; n < len(x.ended); n++ {
		e := x.ended[n]
		old := keep.Age > 0 && now.Sub(e.record.FinishedAt.time()) > keep.Age
		many := keep.Runs > 0 && len(x.order) > keep.Runs || keep.Bytes > 0 && x.bytes > keep.Bytes
		if !old && (!many || n == len(x.ended)-1) {
			break
		}
		x.forget(e)
	}
	if n == 0 {
		return nil
	}
	pruned := slices.Clone(x.ended[:n])
	clear(x.ended[:n])
	x.ended = x.ended[n:]
	return pruned
}

// deletable returns a run that has ended.
func (x *runIndex[C]) deletable(runID string) (*runEntry[C], error) {
	e := x.runs[runID]
	switch {
	case e == nil:
		return nil, ErrRunNotFound
	case e.writing, e.running() && !e.damaged:
		return nil, ErrRunRunning
	}
	return e, nil
}

// remove forgets a run that is deletable.
func (x *runIndex[C]) remove(e *runEntry[C]) {
	at, _ := slices.BinarySearchFunc(x.ended, e, byEnd)
	x.ended = slices.Delete(x.ended, at, at+1)
	x.forget(e)
}

// forget takes a run out of all but ended.
func (x *runIndex[C]) forget(e *runEntry[C]) {
	x.order = removeEarly(x.order, e, byStart)
	x.bytes -= e.bytes
	delete(x.runs, e.record.RunID)
}

// page answers a query.
func (x *runIndex[C]) page(q run.Query) (run.Page, error) {
	limit := q.Size()
	end := len(x.order)
	if q.Cursor != "" {
		started, id, err := ReadCursor(q.Cursor)
		if err != nil {
			return run.Page{}, err
		}
		last := brief{RunID: id, StartedAt: momentOf(started)}
		end, _ = slices.BinarySearchFunc(x.order, last, func(e *runEntry[C], r brief) int {
			return compareStarts(&e.record, &r)
		})
	}
	page := run.Page{Items: []run.Record{}}
	for _, e := range slices.Backward(x.order[:end]) {
		if e.damaged || q.WorkflowID != "" && q.WorkflowID != e.record.WorkflowID ||
			q.Status != 0 && q.Status != e.record.Status || q.ResumedFrom != "" && q.ResumedFrom != e.record.ResumedFrom {
			continue
		}
		if len(page.Items) == limit {
			page.NextCursor = CursorAt(page.Items[limit-1])
			break
		}
		page.Items = append(page.Items, e.record.record())
	}
	return page, nil
}

func byStart[C any](a, b *runEntry[C]) int { return compareStarts(&a.record, &b.record) }

func compareStarts(a, b *brief) int {
	return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), strings.Compare(a.RunID, b.RunID))
}

func byEnd[C any](a, b *runEntry[C]) int {
	return cmp.Or(cmp.Compare(a.record.FinishedAt, b.record.FinishedAt), strings.Compare(a.record.RunID, b.record.RunID))
}
