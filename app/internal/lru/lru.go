// Package lru is a cache with a limit in bytes.
package lru

import "github.com/hashicorp/golang-lru/v2/simplelru"

// Cache keeps the values that were used last, up to a number and a total size. It is not safe
// for concurrent use.
type Cache[K comparable, V any] struct {
	values   *simplelru.LRU[K, sized[V]]
	maxBytes int
	bytes    int
}

// sized is a value with its size when it was added.
type sized[V any] struct {
	value V
	bytes int
}

// New returns a cache of at most maxValues values and maxBytes bytes. Both are positive.
func New[K comparable, V any](maxValues, maxBytes int) *Cache[K, V] {
	c := &Cache[K, V]{maxBytes: maxBytes}
	c.values, _ = simplelru.NewLRU(maxValues, func(_ K, v sized[V]) { c.bytes -= v.bytes }) // fails only for sizes below 1
	return c
}

// Get returns the value of a key.
func (c *Cache[K, V]) Get(key K) (V, bool) {
	v, ok := c.values.Get(key)
	return v.value, ok
}

// Add sets the value of a key and its size, and evicts values until the limits hold. A value
// larger than the whole cache is evicted at once.
func (c *Cache[K, V]) Add(key K, value V, bytes int) {
	c.values.Remove(key)
	c.values.Add(key, sized[V]{value, bytes})
	c.bytes += bytes
	for c.bytes > c.maxBytes {
		c.values.RemoveOldest()
	}
}

// Remove removes the value of a key.
func (c *Cache[K, V]) Remove(key K) { c.values.Remove(key) }

// Bytes returns the size of all values together.
func (c *Cache[K, V]) Bytes() int { return c.bytes }

// Len returns the number of values.
func (c *Cache[K, V]) Len() int { return c.values.Len() }
