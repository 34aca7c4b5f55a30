package cluster

import (
	"maps"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine/node"
)

// tally counts by queue. The zero tally is ready for use.
type tally struct {
	mu      sync.Mutex
	byQueue map[string]int64
}

// add counts n more of a queue; 0 has the queue known.
func (t *tally) add(queue string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byQueue == nil {
		t.byQueue = map[string]int64{}
	}
	t.byQueue[queue] += n
}

// figures tells what was counted.
func (t *tally) figures(name, help string) (all []node.Figure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range slices.Sorted(maps.Keys(t.byQueue)) {
		all = append(all, node.Figure{Name: name, Help: help, Label: "queue", Is: queue, Value: float64(t.byQueue[queue])})
	}
	return all
}
