package nodes

import "context"

// Count counts the files below dir.
func (q *Quota) Count(ctx context.Context, dir string) { q.count(ctx, dir) }

// Used returns the counted bytes and entries.
func (q *Quota) Used() (bytes, entries int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes, q.entries
}
