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

// Index is what a run store knows about its runs without reading them. C is store-specific data,
// such as positions. Callers hold Mu, unless a method says that it locks it.
type Index[C any] struct {
	Mu    sync.Mutex
	Runs  map[string]*Entry[C] // nil entry while a run is being created
	Order []*Entry[C]          // by start
	ended []*Entry[C]          // by end; includes damaged runs
	Bytes int64                // of all runs
	Keys  map[string]HeldKey   // idempotency keys, which may outlive their runs
	swept time.Time            // when expired keys were last removed
}

// Entry is what the index has of one run.
type Entry[C any] struct {
	Record  Brief
	Request *keyedRequest // nil without an idempotency key
	Frames  int
	Bytes   int64
	Writing bool // a journal is open
	Damaged bool
	Content C
}

// Running reports whether the run is unfinished.
func (e *Entry[C]) Running() bool { return e.Record.Status.GoesOn() }

// Reserve reserves the id of a run that is about to be created; key is its idempotency key, or "".
// It locks Mu.
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

// Release gives up a reserved id. It locks Mu.
func (x *Index[C]) Release(runID string) {
	x.Mu.Lock()
	defer x.Mu.Unlock()
	delete(x.Runs, runID)
}

// Add adds a run, whose id may be reserved.
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

// AddAll fills an empty index. byID maps ids to the runs in all.
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

// nearby is how many entries near the end, or the beginning, of a list are compared one by one
// before a binary search.
const nearby = 32

// insertLate inserts e into a sorted list. It searches backwards first, since e usually belongs
// near the end.
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

// removeEarly removes e from a sorted list. Usually e is near the beginning, so the entries before
// it are moved, not those after it.
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

// Count counts a frame that is not the terminal one. The first frame of a waiting run makes it
// running.
func (e *Entry[C]) Count() {
	e.Frames++
	if e.Record.Status == engine.StatusWaiting {
		e.Record.Status = engine.StatusRunning
	}
}

// Grow counts a frame of size bytes.
func (x *Index[C]) Grow(e *Entry[C], size int64) {
	e.Count()
	e.Bytes += size
	x.Bytes += size
}

// End records how a run has ended.
func (x *Index[C]) End(e *Entry[C], how runtext.Ending) {
	e.Record.End(how)
	e.Writing = false
	x.enterEnded(e)
}

// Damage marks a run as damaged, and reports whether that is new. Unless its journal is open, the
// run counts as ended from now on, so that retention removes it.
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

// Record returns the record of a run.
func (x *Index[C]) Record(runID string) (run.Record, error) {
	e, err := x.Get(runID)
	if err != nil {
		return run.Record{}, fmt.Errorf("find run: %w", err)
	}
	r := e.Record.Record()
	r.Frames = e.Frames
	return r, nil
}

// Claim returns an unfinished run and marks it as being written.
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

// Unfinished returns the ids of the unfinished runs without a journal, in order of their starts.
func (x *Index[C]) Unfinished() []string {
	var ids []string
	for _, e := range x.Order {
		if e.Running() && !e.Writing && !e.Damaged {
			ids = append(ids, e.Record.RunID)
		}
	}
	return ids
}

// Prune removes the runs that retention does not keep, and returns them. The run that ended last is
// only removed for its age: a client may be waiting for its end.
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

// Deletable returns a run that has ended, or an error.
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

// Remove removes a run that Deletable has returned.
func (x *Index[C]) Remove(e *Entry[C]) {
	at, _ := slices.BinarySearchFunc(x.ended, e, byEnd)
	x.ended = slices.Delete(x.ended, at, at+1)
	x.forget(e)
}

// forget removes a run from everything but ended.
func (x *Index[C]) forget(e *Entry[C]) {
	x.Order = removeEarly(x.Order, e, byStart)
	x.Bytes -= e.Bytes
	delete(x.Runs, e.Record.RunID)
}

// Page returns the page of runs that q asks for.
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
