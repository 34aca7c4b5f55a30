package value

import "unsafe"

// boxes hold numbers and texts side by side that values point to, so that not each of them
// has memory of its own. One that is kept for long keeps its slab.
type boxes struct {
	ints   []int
	floats []float64
	texts  []string
}

func (b *boxes) int(n int) any {
	if uint(n) < 256 { // of which Go has boxes
		return n
	}
	return boxed(&b.ints, n)
}

func (b *boxes) float(f float64) any { return boxed(&b.floats, f) }

func (b *boxes) text(s string) any { return boxed(&b.texts, s) }

// boxed puts v into a slab and returns a value that points there.
func boxed[T any](slab *[]T, v T) (box any) {
	if len(*slab) == cap(*slab) {
		*slab = make([]T, 0, slabBytes/unsafe.Sizeof(v))
	}
	*slab = append(*slab, v)
	var zero T
	box = zero // for its type
	(*[2]unsafe.Pointer)(unsafe.Pointer(&box))[1] = unsafe.Pointer(&(*slab)[len(*slab)-1])
	return box
}
