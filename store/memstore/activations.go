// Package memstore keeps workflows, activations and runs in memory, for tests and for programs that bring
// their workflows with them.
package memstore

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
)

// ActivationStore keeps activations in memory. Its zero value is ready for use.
type ActivationStore struct {
	mu     sync.Mutex
	byID   map[string]store.Activation
	memory map[triggerName][]byte
	armed  bool
	epoch  int64
	lost   chan struct{}    // of the current arming
	change int64            // number of the last change
	of     map[string]int64 // number of the last change of each workflow
}

type triggerName struct{ workflow, node string }

// Activations implements [store.ActivationStore].
func (s *ActivationStore) Activations(ctx context.Context) iter.Seq2[store.Activation, error] {
	return func(yield func(store.Activation, error) bool) {
		s.mu.Lock()
		all := slices.Collect(maps.Values(s.byID))
		s.mu.Unlock()
		for _, a := range all {
			if !yield(a, ctx.Err()) {
				return
			}
		}
	}
}

// Activation implements [store.ActivationStore].
func (s *ActivationStore) Activation(ctx context.Context, workflowID string) (store.Activation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.byID[workflowID]
	if !ok {
		return store.Activation{}, store.ErrNotActive
	}
	return a, ctx.Err()
}

// Activate implements [store.ActivationStore].
func (s *ActivationStore) Activate(ctx context.Context, a store.Activation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.activate(ctx, a)
}

// activate is Activate with mu held.
func (s *ActivationStore) activate(ctx context.Context, a store.Activation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := workflow.CheckID(a.Definition.ID); err != nil {
		return err
	}
	if s.byID == nil {
		s.byID, s.of = map[string]store.Activation{}, map[string]int64{}
	}
	s.byID[a.Definition.ID] = a
	s.change++
	s.of[a.Definition.ID] = s.change
	return nil
}

// Deactivate implements [store.ActivationStore].
func (s *ActivationStore) Deactivate(ctx context.Context, workflowID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ok := s.byID[workflowID]; !ok {
		return store.ErrNotActive
	}
	delete(s.byID, workflowID)
	delete(s.of, workflowID)
	s.change++
	maps.DeleteFunc(s.memory, func(key triggerName, _ []byte) bool { return key.workflow == workflowID })
	return nil
}

// Memory implements [store.ActivationStore].
func (s *ActivationStore) Memory(ctx context.Context, workflowID, nodeID string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.memory[triggerName{workflowID, nodeID}]), ctx.Err()
}

// Remember implements [store.ActivationStore].
func (s *ActivationStore) Remember(ctx context.Context, all ...store.TriggerMemory) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.memory == nil {
		s.memory = map[triggerName][]byte{}
	}
	for _, m := range all {
		if _, active := s.byID[m.WorkflowID]; m.Memory == nil || !active {
			delete(s.memory, triggerName{m.WorkflowID, m.NodeID})
			continue
		}
		s.memory[triggerName{m.WorkflowID, m.NodeID}] = bytes.Clone(m.Memory)
	}
	return nil
}

// Arm implements [store.ActivationStore].
func (s *ActivationStore) Arm(ctx context.Context) (store.Arming, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return store.Arming{}, err
	}
	if s.armed {
		return store.Arming{}, store.ErrArmedElsewhere
	}
	s.armed, s.lost = true, make(chan struct{})
	s.epoch++
	epoch := s.epoch
	return store.Arming{Epoch: epoch, Lost: s.lost, Release: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.armed = s.armed && s.epoch != epoch
	}}, nil
}

// Depose takes the right to fire triggers from its holder, as if its lease had expired.
func (s *ActivationStore) Depose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed {
		close(s.lost)
		s.armed = false
		s.epoch++
	}
}

// Epoch returns the epoch of the current or last arming.
func (s *ActivationStore) Epoch() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// Changed implements [store.SharedActivations].
func (s *ActivationStore) Changed(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.change, ctx.Err()
}

// Actives implements [store.SharedActivations].
func (s *ActivationStore) Actives(ctx context.Context) (map[string]int64, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.of), s.change, ctx.Err()
}

// ActivateAt implements [store.SharedActivations].
func (s *ActivationStore) ActivateAt(ctx context.Context, a store.Activation, last int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.change != last {
		return store.ErrActivationsChanged
	}
	return s.activate(ctx, a)
}

var _ store.SharedActivations = (*ActivationStore)(nil)
