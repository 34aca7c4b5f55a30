package trigger

import "time"

// Upcoming returns the times at which a trigger fires next, at most n; none if that is not
// known. Only the first of them is put off by chance, as it will be.
func (s *Service) Upcoming(workflowID, nodeID string, n int) (times []time.Time) {
	next, at := s.nextOf(workflowID, nodeID)
	return upcoming(next, at, n)
}

// upcoming returns a time and those behind it, at most n, as next tells them.
func upcoming(next func(time.Time) time.Time, at time.Time, n int) (times []time.Time) {
	for next != nil && !at.IsZero() && len(times) < n {
		times = append(times, at.UTC())
		at = next(at)
	}
	return times
}

// nextOf returns when a trigger fires next, and what tells the times behind one; nil if it
// knows none beforehand.
func (s *Service) nextOf(workflowID, nodeID string) (next func(time.Time) time.Time, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if z := s.asleep[workflowID]; z != nil && z.kind.node == nodeID {
		if times := s.timesOf(workflowID); times != nil {
			return times.Next, timeOf(z.next)
		}
	}
	a := s.active[workflowID]
	if a == nil {
		return nil, at
	}
	for _, t := range a.triggers {
		if t.node == nodeID && t.times != nil {
			return t.times.Next, t.next
		}
	}
	return nil, at
}
