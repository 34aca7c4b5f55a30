package value

import "unsafe"

// boxes are slabs of numbers and texts that interfaces point to, so that each need not be
// allocated separately. A value that is kept for long keeps its whole slab in memory.
type boxes struct {
	ints   []int
	floats []float64
	texts  []string
}

func (b *boxes) int(n int) any {
	if uint(n) < 256 { // Go has preallocated boxes for these
		return n
	}
	return boxed(&b.ints, n)
}

func (b *boxes) float(f float64) any { return boxed(&b.floats, f) }

func (b *boxes) text(s string) any { return boxed(&b.texts, s) }

// boxed puts v into a slab and returns an interface that points there.
func boxed[T any](slab *[]T, v T) (box any) {
	if len(*slab) == cap(*slab) {
		*slab = make([]T, 0, slabBytes/unsafe.Sizeof(v))
	}
	*slab = append(*slab, v)
	var zero T
	box = zero // for its type word
	(*[2]unsafe.Pointer)(unsafe.Pointer(&box))[1] = unsafe.Pointer(&(*slab)[len(*slab)-1])
	return box
}
