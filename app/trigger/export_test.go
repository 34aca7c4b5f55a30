package trigger

import "github.com/svcflow/svc/engine/node"

// Tell lets a trigger fire as its source would.
func (s *Service) Tell(workflowID, nodeID string, firings []node.Firing, memory []byte) ([]string, error) {
	s.mu.Lock()
	t := s.active[workflowID].trigger(nodeID)
	s.mu.Unlock()
	return s.fire(t, firings, memory)
}

// Remembered returns what the source of a trigger remembers.
func (s *Service) Remembered(workflowID, nodeID string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.active[workflowID].trigger(nodeID).memory.Source)
}
