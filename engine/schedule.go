package engine

// schedule decides which nodes may start and which never will. It is deterministic: it has
// no clock, goroutine, map, I/O or recursion, so the same calls give the same answers on
// every runner.
//
// A runner takes nodes from next. For each node that ended, it calls settle for each output
// slot. Nodes that will never run appear in skipped.
type schedule struct {
	g       *graph
	missing []int32     // node → wires into it that are not settled
	short   []bool      // node → whether a wire brought no value
	slots   []slotState // by output slot
	causes  []cause     // node → why it was skipped
	ready   []int32
	head    int     // of ready
	skipped []int32 // since the runner last cleared it
	pending []int32 // output slots of skipped nodes that are not settled yet
}

// slotState is the state of an output slot.
type slotState uint8

const (
	slotOpen slotState = iota
	slotEmitted
	slotNotTaken
	slotFailed
)

// reason says why a node was skipped.
type reason uint8

const (
	reasonNone reason = iota
	reasonNotTaken
	reasonFailed
	reasonDisabled
)

// String returns the name of r in the wire form.
func (r reason) String() string { return [...]string{"", "not_taken", "failed", "disabled"}[r] }

// cause is the node at which an absence began, and the reason.
type cause struct {
	node   int32
	reason reason
}

func newSchedule(g *graph) *schedule {
	n, outs := g.nodes(), len(g.owner)
	s := &schedule{
		g: g, missing: make([]int32, n), short: make([]bool, n), ready: make([]int32, 0, n),
		causes: make([]cause, n), slots: make([]slotState, outs),
	}
	s.reset()
	return s
}

// reset prepares s for another run of the same graph.
func (s *schedule) reset() {
	clear(s.short)
	clear(s.causes)
	clear(s.slots)
	s.ready, s.head, s.skipped, s.pending = s.ready[:0], 0, s.skipped[:0], s.pending[:0]
	for i := range s.missing {
		s.missing[i] = s.g.wiresInto(int32(i))
		if s.missing[i] == 0 {
			s.resolve(int32(i))
		}
	}
	s.passOn()
}

// next returns a node that may start now.
func (s *schedule) next() (node int32, ok bool) {
	if s.head == len(s.ready) {
		return 0, false
	}
	node = s.ready[s.head]
	s.head++
	return node, true
}

// settle sets the state of output slot o. Call it exactly once for every slot with a wire.
func (s *schedule) settle(o int32, state slotState) {
	s.deliver(o, state)
	s.passOn()
}

// passOn settles the outputs of skipped nodes.
func (s *schedule) passOn() {
	for len(s.pending) > 0 {
		o := s.pending[len(s.pending)-1]
		s.pending = s.pending[:len(s.pending)-1]
		state := slotNotTaken
		if s.causes[s.g.owner[o]].reason == reasonFailed {
			state = slotFailed
		}
		s.deliver(o, state)
	}
}

func (s *schedule) deliver(o int32, state slotState) {
	s.slots[o] = state
	for _, to := range s.g.edges[s.g.edgeLo[o]:s.g.edgeLo[o+1]] {
		if state != slotEmitted {
			s.short[to] = true
		}
		s.missing[to]--
		if s.missing[to] == 0 {
			s.resolve(to)
		}
	}
}

// resolve decides whether node i, whose wires are all settled, starts or is skipped.
func (s *schedule) resolve(i int32) {
	switch {
	case s.g.disabled[i]:
		s.skip(i, cause{i, reasonDisabled})
	case !s.short[i]:
		s.ready = append(s.ready, i)
	default:
		if c := s.obstacle(i); c.reason != reasonNone {
			s.skip(i, c)
			return
		}
		s.ready = append(s.ready, i)
	}
}

func (s *schedule) skip(i int32, c cause) {
	s.causes[i] = c
	s.skipped = append(s.skipped, i)
	for o := s.g.outLo[i]; o < s.g.outLo[i+1]; o++ {
		if s.g.used(o) {
			s.pending = append(s.pending, o)
		}
	}
}

// decline skips node i, which next has returned, because its $when is false or its trigger
// did not fire.
func (s *schedule) decline(i int32) {
	s.skip(i, cause{i, reasonNotTaken})
	s.passOn()
}

// obstacle returns why node i must be skipped: its first failed wire; else the first wire
// of a port without a value; else, if none of its partial ports has a value, the first wire
// of those.
func (s *schedule) obstacle(i int32) cause {
	var unfed, partial cause
	some := false // whether a partial port has a value
	for in := s.g.inLo[i]; in < s.g.inLo[i+1]; in++ {
		wires := s.g.wires[s.g.wireLo[in]:s.g.wireLo[in+1]]
		came, missing := 0, cause{}
		for _, o := range wires {
			switch s.slots[o] {
			case slotFailed:
				return s.origin(o, reasonFailed)
			case slotEmitted:
				came++
			default:
				missing = first(missing, s.origin(o, reasonNotTaken))
			}
		}
		switch fed := came > 0; {
		case s.g.partial[in]:
			some = some || fed
			partial = first(partial, missing)
		case !fed, in == s.g.after[i]: // $after needs every wire
			unfed = first(unfed, missing)
		}
	}
	if !some {
		unfed = first(unfed, partial)
	}
	return unfed
}

// first returns c, or next if c is empty.
func first(c, next cause) cause {
	if c.reason == reasonNone {
		return next
	}
	return c
}

// origin returns where the absence of output slot o began: at its own node, or where that
// node's skip began.
func (s *schedule) origin(o int32, r reason) cause {
	owner := s.g.owner[o]
	if c := s.causes[owner]; c.reason != reasonNone {
		return c
	}
	return cause{owner, r}
}
