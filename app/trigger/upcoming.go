package trigger

import "time"

// Upcoming returns the next times of a trigger, at most n; none if it is not a schedule. Only the
// first includes jitter.
func (s *Service) Upcoming(workflowID, nodeID string, n int) (times []time.Time) {
	next, at := s.nextOf(workflowID, nodeID)
	return upcoming(next, at, n)
}

// upcoming returns at most n times: at, and those that next returns after it.
func upcoming(next func(time.Time) time.Time, at time.Time, n int) (times []time.Time) {
	for next != nil && !at.IsZero() && len(times) < n {
		times = append(times, at.UTC())
		at = next(at)
	}
	return times
}

// nextOf returns when a trigger fires next, and a function for the times after it; nil if it is
// not a schedule.
func (s *Service) nextOf(workflowID, nodeID string) (next func(time.Time) time.Time, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if z := s.unloaded[workflowID]; z != nil && z.kind.node == nodeID {
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
