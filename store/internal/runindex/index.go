package runindex

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
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/internal/runtext"
)

// Index is what a run store knows about its runs without reading them. C is the content of a
// run, as the store keeps it. The caller holds Mu, unless a method says that it locks it.
type Index[C any] struct {
	Mu    sync.Mutex
	Runs  map[string]*Entry[C] // nil while a run is being created
	Order []*Entry[C]          // by start
	ended []*Entry[C]          // by end, damaged ones included
	Bytes int64                // of all runs
	Keys  map[string]HeldKey   // idempotency keys, which live on their own
	swept time.Time            // when those that live no more were last forgotten
}

// Entry is what the index has of one run.
type Entry[C any] struct {
	Record  Brief
	Request *keyedRequest // nil without an idempotency key
	Frames  int
	Bytes   int64
	Writing bool // somebody has the journal
	Damaged bool
	Content C
}

// Running reports whether the run goes on.
func (e *Entry[C]) Running() bool { return e.Record.Status.GoesOn() }

// Reserve takes an id for a run that is going to be created, under an idempotency key
// or "".
func (x *Index[C]) Reserve(runID, key string) error {
	x.Mu.Lock()
	defer x.Mu.Unlock()
	if key != "" && x.fullOfKeys(time.Now()) {
		return store.ErrTooManyKeys
	}
	if _, ok := x.Runs[runID]; ok {
		return fmt.Errorf("run %s: %w", runID, fs.ErrExist)
	}
	if x.Runs == nil {
		x.Runs = map[string]*Entry[C]{}
	}
	x.Runs[runID] = nil
	return nil
}

// Release gives up an id that was reserved. It takes mu.
func (x *Index[C]) Release(runID string) {
	x.Mu.Lock()
	defer x.Mu.Unlock()
	delete(x.Runs, runID)
}

// Add enters a run, whose id may be reserved.
func (x *Index[C]) Add(e *Entry[C]) {
	if x.Runs == nil {
		x.Runs = map[string]*Entry[C]{}
	}
	x.Runs[e.Record.RunID] = e
	x.Order = insertLate(x.Order, e, byStart)
	x.Bytes += e.Bytes
	if e.Request != nil {
		x.Hold(e.HeldKey())
	}
	if !e.Running() || e.Damaged {
		x.enterEnded(e)
	}
}

// AddAll enters the first runs there are, also by their ids.
func (x *Index[C]) AddAll(all []*Entry[C], byID map[string]*Entry[C]) {
	slices.SortFunc(all, byStart)
	x.Order, x.Runs = all, byID
	for _, e := range all {
		x.Bytes += e.Bytes
		if !e.Running() || e.Damaged {
			x.ended = append(x.ended, e)
		}
	}
	slices.SortFunc(x.ended, byEnd)
}

func (x *Index[C]) enterEnded(e *Entry[C]) {
	x.ended = insertLate(x.ended, e, byEnd)
}

// nearby is how far from the end of a list what comes late belongs into it, as a rule, and
// how far from its beginning what goes early stands.
const nearby = 32

// insertLate puts e where it belongs in a list. That is near the end as a rule, so it is
// looked for there first.
func insertLate[C any](list []*Entry[C], e *Entry[C], compare func(a, b *Entry[C]) int) []*Entry[C] {
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
func removeEarly[C any](list []*Entry[C], e *Entry[C], compare func(a, b *Entry[C]) int) []*Entry[C] {
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

// Count counts a frame that is not the last one, with which a run that waited begins.
func (e *Entry[C]) Count() {
	e.Frames++
	if e.Record.Status == engine.StatusWaiting {
		e.Record.Status = engine.StatusRunning
	}
}

// Grow counts a frame that was added to a run, of so many bytes in all.
func (x *Index[C]) Grow(e *Entry[C], size int64) {
	e.Count()
	e.Bytes += size
	x.Bytes += size
}

// End notes how a run has ended.
func (x *Index[C]) End(e *Entry[C], how runtext.Ending) {
	e.Record.End(how)
	e.Writing = false
	x.enterEnded(e)
}

// Damage notes that a run cannot be read, and reports whether that is news. Unless
// it is still being written, the run counts as ended from now on, so that it makes
// room one day.
func (x *Index[C]) Damage(e *Entry[C], now time.Time) bool {
	if e.Damaged {
		return false
	}
	e.Damaged = true
	if e.Running() && !e.Writing {
		e.Record.FinishedAt = MomentOf(now)
		x.enterEnded(e)
	}
	return true
}

// Get returns a run, or [store.ErrRunNotFound] or [store.ErrRunDamaged].
func (x *Index[C]) Get(runID string) (*Entry[C], error) {
	e := x.Runs[runID]
	switch {
	case e == nil:
		return nil, store.ErrRunNotFound
	case e.Damaged:
		return nil, fmt.Errorf("%w %s", store.ErrRunDamaged, runID)
	}
	return e, nil
}

// Record describes a run.
func (x *Index[C]) Record(runID string) (run.Record, error) {
	e, err := x.Get(runID)
	if err != nil {
		return run.Record{}, fmt.Errorf("find run: %w", err)
	}
	r := e.Record.Record()
	r.Frames = e.Frames
	return r, nil
}

// Claim returns an unfinished run to the one who is going to write to it.
func (x *Index[C]) Claim(runID string) (*Entry[C], error) {
	e, err := x.Get(runID)
	if err != nil {
		return nil, err
	}
	if !e.Running() || e.Writing {
		return nil, fmt.Errorf("run %s has ended or is being written", runID)
	}
	e.Writing = true
	return e, nil
}

// Unfinished returns the ids of the runs that wait for a claim, in order of their
// starts.
func (x *Index[C]) Unfinished() []string {
	var ids []string
	for _, e := range x.Order {
		if e.Running() && !e.Writing && !e.Damaged {
			ids = append(ids, e.Record.RunID)
		}
	}
	return ids
}

// Prune forgets the runs that have to make room, and returns them. The one that
// ended last goes only for its age: somebody may be waiting to see its end.
func (x *Index[C]) Prune(keep store.Retention, now time.Time) []*Entry[C] {
	n := 0
	for ; n < len(x.ended); n++ {
		e := x.ended[n]
		old := keep.Age > 0 && now.Sub(e.Record.FinishedAt.Time()) > keep.Age
		many := keep.Runs > 0 && len(x.Order) > keep.Runs || keep.Bytes > 0 && x.Bytes > keep.Bytes
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

// Deletable returns a run that has ended.
func (x *Index[C]) Deletable(runID string) (*Entry[C], error) {
	e := x.Runs[runID]
	switch {
	case e == nil:
		return nil, store.ErrRunNotFound
	case e.Writing, e.Running() && !e.Damaged:
		return nil, store.ErrRunRunning
	}
	return e, nil
}

// Remove forgets a run that is deletable.
func (x *Index[C]) Remove(e *Entry[C]) {
	at, _ := slices.BinarySearchFunc(x.ended, e, byEnd)
	x.ended = slices.Delete(x.ended, at, at+1)
	x.forget(e)
}

// forget takes a run out of all but ended.
func (x *Index[C]) forget(e *Entry[C]) {
	x.Order = removeEarly(x.Order, e, byStart)
	x.Bytes -= e.Bytes
	delete(x.Runs, e.Record.RunID)
}

// Page answers a query.
func (x *Index[C]) Page(q run.Query) (run.Page, error) {
	limit := q.Size()
	end := len(x.Order)
	if q.Cursor != "" {
		started, id, err := runtext.ReadCursor(q.Cursor)
		if err != nil {
			return run.Page{}, err
		}
		last := Brief{RunID: id, StartedAt: MomentOf(started)}
		end, _ = slices.BinarySearchFunc(x.Order, last, func(e *Entry[C], r Brief) int {
			return compareStarts(&e.Record, &r)
		})
	}
	page := run.Page{Items: []run.Record{}}
	for _, e := range slices.Backward(x.Order[:end]) {
		if e.Damaged || q.WorkflowID != "" && q.WorkflowID != e.Record.WorkflowID ||
			q.Status != 0 && q.Status != e.Record.Status || q.ResumedFrom != "" && q.ResumedFrom != e.Record.ResumedFrom {
			continue
		}
		if len(page.Items) == limit {
			page.NextCursor = runtext.CursorAt(page.Items[limit-1])
			break
		}
		page.Items = append(page.Items, e.Record.Record())
	}
	return page, nil
}

func byStart[C any](a, b *Entry[C]) int { return compareStarts(&a.Record, &b.Record) }

func compareStarts(a, b *Brief) int {
	return cmp.Or(cmp.Compare(a.StartedAt, b.StartedAt), strings.Compare(a.RunID, b.RunID))
}

func byEnd[C any](a, b *Entry[C]) int {
	return cmp.Or(cmp.Compare(a.Record.FinishedAt, b.Record.FinishedAt), strings.Compare(a.Record.RunID, b.Record.RunID))
}
