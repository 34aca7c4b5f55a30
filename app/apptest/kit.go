package apptest

import (
	"context"
	"strings"
	"sync"

	"github.com/svcflow/svc/engine/node"
)

// kit is a plugin whose nodes count their calls, fail and wait as the test wants it.
type kit struct {
	mu    sync.Mutex
	calls map[string]int
	fails map[string]bool
	open  chan struct{} // closed when gates are open
	once  sync.Once
}

func newKit() *kit {
	return &kit{calls: map[string]int{}, fails: map[string]bool{}, open: make(chan struct{})}
}

type stepIn struct {
	Label string `port:"label" doc:"What the call counts as."`
	Value any    `port:"value,optional" doc:"What is handed on."`
	Times int    `port:"times" default:"1" doc:"How often the value is repeated, if it is a text."`
}

type stepOut struct {
	Value any `port:"value" doc:"What came in."`
}

// Install implements [node.Plugin].
func (k *kit) Install(r *node.Registrar) {
	r.Register(node.Func("test.step", "Count, and hand on", k.step))
	r.Register(node.Func("test.gate", "Wait until the gates are open", k.gate))
}

func (k *kit) step(_ context.Context, in stepIn) (stepOut, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.calls[in.Label]++
	if k.fails[in.Label] {
		return stepOut{}, node.Errorf("broken", "%s is broken", in.Label)
	}
	if text, ok := in.Value.(string); ok {
		return stepOut{strings.Repeat(text, in.Times)}, nil
	}
	return stepOut{in.Value}, nil
}

func (k *kit) gate(ctx context.Context, in stepIn) (stepOut, error) {
	k.mu.Lock()
	k.calls[in.Label]++
	k.mu.Unlock()
	select {
	case <-k.open:
		return stepOut{in.Value}, nil
	case <-ctx.Done():
		return stepOut{}, ctx.Err()
	}
}

// count returns how often a node of that label was called.
func (k *kit) count(label string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.calls[label]
}

// breaks makes the calls of a label fail, or not.
func (k *kit) breaks(label string, fails bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fails[label] = fails
}

// release opens the gates, for good.
func (k *kit) release() { k.once.Do(func() { close(k.open) }) }
