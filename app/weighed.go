package app

import "github.com/hashicorp/golang-lru/v2/simplelru"

// weighed keeps the values that were used last, of so many bytes together. It is not safe
// for concurrent use.
type weighed[K comparable, V any] struct {
	values *simplelru.LRU[K, heavy[V]]
	most   int // bytes
	bytes  int // now
}

// heavy is a value with its weight in bytes as it was when it came.
type heavy[V any] struct {
	value V
	bytes int
}

// newWeighed keeps at most so many values of at most so many bytes; both are positive.
func newWeighed[K comparable, V any](values, bytes int) *weighed[K, V] {
	w := &weighed[K, V]{most: bytes}
	w.values, _ = simplelru.NewLRU(values, func(_ K, h heavy[V]) { w.bytes -= h.bytes }) // fails for sizes below 1 only
	return w
}

func (w *weighed[K, V]) get(key K) (V, bool) {
	h, ok := w.values.Get(key)
	return h.value, ok
}

// add keeps a value in place of what was kept under its key, and lets go what is too much;
// one that is too heavy on its own goes, too.
func (w *weighed[K, V]) add(key K, value V, bytes int) {
	w.values.Remove(key)
	w.values.Add(key, heavy[V]{value, bytes})
	w.bytes += bytes
	for w.bytes > w.most {
		w.values.RemoveOldest()
	}
}

func (w *weighed[K, V]) remove(key K) { w.values.Remove(key) }
