package trigger

import (
	"container/heap"
	"time"
)

// plan puts a trigger into the heap with its next time. The caller holds mu.
func (s *Service) plan(t *armed) {
	if t.heapIndex >= 0 {
		heap.Remove(&s.due, t.heapIndex)
	}
	t.next, t.due = time.Time{}, time.Time{}
	if t.times == nil {
		return
	}
	if p := t.memory.Pending; p != nil {
		t.next = p.Times[0].At
		heap.Push(&s.due, t) // at once
		return
	}
	if t.next = t.times.Next(t.memory.Last); t.next.IsZero() {
		return
	}
	t.due = t.next
	if t.times.Jitter > 0 {
		t.due = t.next.Add(s.Random(t.times.Jitter))
	}
	heap.Push(&s.due, t)
}

// planAt puts a trigger back into the heap for a retry.
func (s *Service) planAt(t *armed, due time.Time) {
	if t.times != nil && t.heapIndex < 0 && !t.replaced {
		t.due = due
		heap.Push(&s.due, t)
	}
}

// scheduled is an element of a dueHeap.
type scheduled interface {
	when() time.Time
	setHeapIndex(place int) // -1 after removal
}

func (t *armed) when() time.Time { return t.due }

func (t *armed) setHeapIndex(place int) { t.heapIndex = place }

// dueHeap is a heap of triggers or workflows; the earliest is first.
type dueHeap[T scheduled] []T

// Len implements heap.Interface.
func (d dueHeap[T]) Len() int { return len(d) }

// Less implements heap.Interface.
func (d dueHeap[T]) Less(i, j int) bool { return d[i].when().Before(d[j].when()) }

// Swap implements heap.Interface.
func (d dueHeap[T]) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].setHeapIndex(i)
	d[j].setHeapIndex(j)
}

// Push implements heap.Interface.
func (d *dueHeap[T]) Push(x any) {
	t := x.(T)
	t.setHeapIndex(len(*d))
	*d = append(*d, t)
}

// Pop implements heap.Interface.
func (d *dueHeap[T]) Pop() any {
	last := len(*d) - 1
	t := (*d)[last]
	var none T
	(*d)[last], *d = none, (*d)[:last]
	t.setHeapIndex(-1)
	return t
}
