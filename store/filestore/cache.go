package filestore

import (
	"io/fs"
	"os"
	"sync"
)

// cache caches contents of files by name. An entry is valid while the file is unchanged. The zero
// cache has no limit.
type cache[T any] struct {
	limit int64 // of the sum of sizes; 0 means none

	mu      sync.Mutex
	used    int64
	entries map[string]cached[T]
}

type cached[T any] struct {
	info  fs.FileInfo
	size  int64
	value T
}

func (c *cache[T]) get(name string, info fs.FileInfo) (T, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[name]
	if !ok || !sameFile(e.info, info) || !os.SameFile(e.info, info) {
		var none T
		return none, false
	}
	return e.value, true
}

// put caches v, which counts as size bytes. It evicts random entries: unlike LRU, this works when
// all files are read in turn.
func (c *cache[T]) put(name string, info fs.FileInfo, size int64, v T) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(name)
	if c.limit > 0 && size > c.limit {
		return
	}
	for victim := range c.entries {
		if c.limit == 0 || c.used+size <= c.limit {
			break
		}
		c.remove(victim)
	}
	if c.entries == nil {
		c.entries = map[string]cached[T]{}
	}
	c.entries[name] = cached[T]{info: info, size: size, value: v}
	c.used += size
}

func (c *cache[T]) drop(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(name)
}

func (c *cache[T]) remove(name string) {
	c.used -= c.entries[name].size
	delete(c.entries, name)
}
