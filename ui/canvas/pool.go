package canvas

// pool reuses primitives of one kind for the next frame.
type pool[T any] struct {
	all  []*T
	used int
}

// take returns a primitive that is not used in this frame.
func (p *pool[T]) take() *T {
	if p.used == len(p.all) {
		p.all = append(p.all, new(T))
	}
	p.used++
	return p.all[p.used-1]
}

// begin makes all primitives free.
func (p *pool[T]) begin() { p.used = 0 }
