package trigger

// Counts counts the firings of one type of trigger since the service began.
type Counts struct {
	Fired   int // runs that were enqueued
	Missed  int // times of schedules that did not fire
	Refused int // firings that were refused
	Waiting int // queued runs now
}

// count returns the counts of a type. The caller holds mu.
func (s *Service) count(typ string) *Counts {
	c := s.counts[typ]
	if c == nil {
		c = &Counts{}
		s.counts[typ] = c
	}
	return c
}

// Counts returns the counts by trigger type.
func (s *Service) Counts() map[string]Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]Counts, len(s.counts))
	for typ, c := range s.counts {
		all[typ] = *c
	}
	for _, a := range s.withQueue {
		for i := range a.queue {
			c := all[a.queue[i].Type]
			c.Waiting++
			all[a.queue[i].Type] = c
		}
	}
	return all
}
