package trigger

import (
	"container/heap"
	"time"
)

// plan puts a trigger to the place of its next time among those that are due.
func (s *Service) plan(t *armed) {
	if t.place >= 0 {
		heap.Remove(&s.due, t.place)
	}
	t.next, t.due = time.Time{}, time.Time{}
	if t.times == nil {
		return
	}
	if p := t.memory.Putting; p != nil {
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

// planAt puts a trigger that is not among those that are due there, for a moment.
func (s *Service) planAt(t *armed, due time.Time) {
	if t.times != nil && t.place < 0 && !t.gone {
		t.due = due
		heap.Push(&s.due, t)
	}
}

// timed is what is due at a time.
type timed interface {
	when() time.Time
	put(place int) // among those that are due; -1 for none
}

func (t *armed) when() time.Time { return t.due }

func (t *armed) put(place int) { t.place = place }

// dues are those that are due, the first at the top.
type dues[T timed] []T

// Len implements heap.Interface.
func (d dues[T]) Len() int { return len(d) }

// Less implements heap.Interface.
func (d dues[T]) Less(i, j int) bool { return d[i].when().Before(d[j].when()) }

// Swap implements heap.Interface.
func (d dues[T]) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].put(i)
	d[j].put(j)
}

// Push implements heap.Interface.
func (d *dues[T]) Push(x any) {
	t := x.(T)
	t.put(len(*d))
	*d = append(*d, t)
}

// Pop implements heap.Interface.
func (d *dues[T]) Pop() any {
	last := len(*d) - 1
	t := (*d)[last]
	var none T
	(*d)[last], *d = none, (*d)[:last]
	t.put(-1)
	return t
}
