package trigger

// Counts tell what became of the firings of triggers of one type since the service began.
type Counts struct {
	Fired   int // runs that were put down
	Missed  int // times that came to nothing
	Refused int // firings that were not taken
	Waiting int // runs that wait for a place now
}

// count returns what counts the triggers of a type. The caller holds the lock.
func (s *Service) count(typ string) *Counts {
	c := s.counts[typ]
	if c == nil {
		c = &Counts{}
		s.counts[typ] = c
	}
	return c
}

// Counts returns what became of firings, by type of trigger.
func (s *Service) Counts() map[string]Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string]Counts, len(s.counts))
	for typ, c := range s.counts {
		all[typ] = *c
	}
	for _, a := range s.waits {
		for i := range a.queue {
			c := all[a.queue[i].Type]
			c.Waiting++
			all[a.queue[i].Type] = c
		}
	}
	return all
}
