package record

// ring stores the last limit items.
type ring[T any] struct {
	limit int
	items []T
	first int // the oldest, once there are limit items
}

// add adds an item. If the ring was full, gone is the oldest item, which was dropped.
func (r *ring[T]) add(item T) (gone T, full bool) {
	if len(r.items) < r.limit {
		r.items = append(r.items, item)
		return gone, false
	}
	gone, r.items[r.first] = r.items[r.first], item
	r.first = (r.first + 1) % r.limit
	return gone, true
}

func (r *ring[T]) len() int { return len(r.items) }

// at returns a pointer to item i; 0 is the oldest.
func (r *ring[T]) at(i int) *T { return &r.items[(r.first+i)%len(r.items)] }

// all returns a copy, the oldest first.
func (r *ring[T]) all() []T {
	out := make([]T, 0, len(r.items))
	for i := range r.items {
		out = append(out, *r.at(i))
	}
	return out
}
