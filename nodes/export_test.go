package nodes

import "context"

// Count counts what lies below dir.
func (q *Quota) Count(ctx context.Context, dir string) { q.count(ctx, dir) }

// Used returns what is counted.
func (q *Quota) Used() (bytes, entries int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.bytes, q.entries
}
