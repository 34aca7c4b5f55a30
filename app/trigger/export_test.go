package trigger

import "github.com/svcflow/svc/engine/node"

// Tell lets a trigger fire as its source would.
func (s *Service) FireSource(workflowID, nodeID string, firings []node.Firing, memory []byte) ([]string, error) {
	s.mu.Lock()
	t := s.loaded(workflowID).trigger(nodeID)
	s.mu.Unlock()
	return s.fire(t, firings, memory)
}

// Remembered returns what the source of a trigger remembers.
func (s *Service) Remembered(workflowID, nodeID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.loaded(workflowID).trigger(nodeID).memory.Source)
}

// Asleep returns how many active workflows are asleep.
func (s *Service) Unloaded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.unloaded)
}

// Settle waits until it is known who lets triggers fire, and all that they remember is on the
// disk.
func (s *Service) WaitReady() {
	<-s.ready
	s.flush()
}

// Running returns how many runs of triggers are counted as running.
func (s *Service) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running
}
