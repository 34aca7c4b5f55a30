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
	epoch  int64
	lost   chan struct{}    // of who is armed
	change int64            // number of the last one
	of     map[string]int64 // of each workflow
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
	return s.activate(ctx, a)
}

// activate is Activate for who holds mu.
func (s *MemoryActivations) activate(ctx context.Context, a Activation) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := workflow.CheckID(a.Definition.ID); err != nil {
		return err
	}
	if s.byID == nil {
		s.byID, s.of = map[string]Activation{}, map[string]int64{}
	}
	s.byID[a.Definition.ID] = a
	s.change++
	s.of[a.Definition.ID] = s.change
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
	delete(s.of, workflowID)
	s.change++
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
		if _, active := s.byID[m.WorkflowID]; m.Memory == nil || !active {
			delete(s.memory, triggerName{m.WorkflowID, m.NodeID})
			continue
		}
		s.memory[triggerName{m.WorkflowID, m.NodeID}] = bytes.Clone(m.Memory)
	}
	return nil
}

// Arm implements [ActivationStore].
func (s *MemoryActivations) Arm(ctx context.Context) (Arming, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return Arming{}, err
	}
	if s.armed {
		return Arming{}, ErrArmedElsewhere
	}
	s.armed, s.lost = true, make(chan struct{})
	s.epoch++
	epoch := s.epoch
	return Arming{Epoch: epoch, Lost: s.lost, Release: func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.armed = s.armed && s.epoch != epoch
	}}, nil
}

// Depose takes the right to let triggers fire from who has it, as if nobody had heard of him for
// long.
func (s *MemoryActivations) Depose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.armed {
		close(s.lost)
		s.armed = false
		s.epoch++
	}
}

// Epoch returns the epoch of who lets triggers fire, or did last.
func (s *MemoryActivations) Epoch() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.epoch
}

// Changed implements [SharedActivations].
func (s *MemoryActivations) Changed(ctx context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.change, ctx.Err()
}

// Actives implements [SharedActivations].
func (s *MemoryActivations) Actives(ctx context.Context) (map[string]int64, int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.of), s.change, ctx.Err()
}

// ActivateAt implements [SharedActivations].
func (s *MemoryActivations) ActivateAt(ctx context.Context, a Activation, last int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.change != last {
		return ErrActivationsChanged
	}
	return s.activate(ctx, a)
}

var _ SharedActivations = (*MemoryActivations)(nil)
