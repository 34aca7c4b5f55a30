package store

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/svcflow/svc/engine/workflow"
)

// MemoryActivations keeps activations in memory. Its zero value is ready for use.
type MemoryActivations struct {
	mu     sync.Mutex
	byID   map[string]Activation
	memory map[triggerName][]byte
	armed  bool
}

type triggerName struct{ workflow, node string }

// Activations implements [ActivationStore].
func (s *MemoryActivations) Activations(ctx context.Context) iter.Seq2[Activation, error] {
	return func(yield func(Activation, error) bool) {
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

// Activation implements [ActivationStore].
func (s *MemoryActivations) Activation(ctx context.Context, workflowID string) (Activation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.byID[workflowID]
	if !ok {
		return Activation{}, ErrNotActive
	}
	return a, ctx.Err()
}

// Activate implements [ActivationStore].
func (s *MemoryActivations) Activate(ctx context.Context, a Activation) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := workflow.CheckID(a.Definition.ID); err != nil {
		return err
	}
	if s.byID == nil {
		s.byID = map[string]Activation{}
	}
	s.byID[a.Definition.ID] = a
	return nil
}

// Deactivate implements [ActivationStore].
func (s *MemoryActivations) Deactivate(ctx context.Context, workflowID string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ok := s.byID[workflowID]; !ok {
		return ErrNotActive
	}
	delete(s.byID, workflowID)
	maps.DeleteFunc(s.memory, func(key triggerName, _ []byte) bool { return key.workflow == workflowID })
	return nil
}

// Memory implements [ActivationStore].
func (s *MemoryActivations) Memory(ctx context.Context, workflowID, nodeID string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.memory[triggerName{workflowID, nodeID}]), ctx.Err()
}

// Remember implements [ActivationStore].
func (s *MemoryActivations) Remember(ctx context.Context, all ...TriggerMemory) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.memory == nil {
		s.memory = map[triggerName][]byte{}
	}
	for _, m := range all {
		if m.Memory == nil {
			delete(s.memory, triggerName{m.WorkflowID, m.NodeID})
			continue
		}
		s.memory[triggerName{m.WorkflowID, m.NodeID}] = bytes.Clone(m.Memory)
	}
	return nil
}

// Arm implements [ActivationStore].
func (s *MemoryActivations) Arm(ctx context.Context) (release func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.armed {
		return nil, ErrArmedElsewhere
	}
	s.armed = true
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.armed = false
	}), nil
}

var _ ActivationStore = (*MemoryActivations)(nil)
