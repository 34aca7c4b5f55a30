package trigger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/svcflow/svc/store"
)

// memory is what a trigger remembers, as it is kept.
type memory struct {
	// Last is the time up to which all times are dealt with.
	Last time.Time `json:"last"`
	// Turn is how often the clock was set back, so that a time that comes again is another.
	Turn int `json:"turn,omitempty"`
	// Missed is how many times came to nothing, and Untold how many of them no firing has
	// told yet.
	Missed int `json:"missed,omitempty"`
	Untold int `json:"untold,omitempty"`
	// Putting is what it is putting down; nil if all that fires is.
	Putting *putting `json:"putting,omitempty"`
	// Refused is how many firings were not taken.
	Refused int `json:"refused,omitempty"`
	// Running are the runs that go on.
	Running []going `json:"running,omitempty"`
	// Source is what the source remembers that is no schedule.
	Source json.RawMessage `json:"source,omitempty"`

	FiredAt time.Time `json:"firedAt,omitzero"`
	RunID   string    `json:"runId,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// going is a run that goes on.
type going struct {
	RunID   string `json:"runId"`
	Resumed int    `json:"resumed,omitempty"` // how often, by itself
}

// clone returns a copy, of which nothing is shared that could be changed.
func (m memory) clone() memory {
	m.Running = slices.Clone(m.Running)
	return m
}

// miss counts times that come to nothing.
func (m *memory) miss(n int) { m.Missed, m.Untold = m.Missed+n, m.Untold+n }

// remember lets a trigger remember m, which the next flush puts on the disk. The caller
// holds the lock.
func (s *Service) remember(t *armed, m memory) {
	if s.rememberSoon(t, m) {
		s.urgent = true
	}
}

// rememberSoon is remember for what can be found out again after a crash: it is on the disk
// within a second.
func (s *Service) rememberSoon(t *armed, m memory) bool {
	if t.gone {
		return false
	}
	if t.memory = m; t.left {
		return false
	}
	s.changed[t] = true
	return true
}

// flush puts all that triggers have to remember on the disk, at once, and reports whether it
// is there. The caller does not hold the lock.
func (s *Service) flush() bool {
	s.flushing.Lock()
	defer s.flushing.Unlock()
	return s.flushAll()
}

// flushAll is flush for whoever holds flushing.
func (s *Service) flushAll() bool {
	s.mu.Lock()
	changed, all := s.changed, s.words()
	s.changed, s.urgent, s.flushed = map[*armed]bool{}, false, s.Now()
	s.mu.Unlock()
	if len(all) == 0 {
		return true
	}
	err := s.Store.Remember(context.WithoutCancel(s.life), all...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		for t := range changed {
			s.rest(t.of)
		}
		return true
	}
	s.Log.Error("what triggers have to remember cannot be kept; it is tried again", "error", err)
	for t := range changed {
		if !t.gone {
			s.changed[t], s.urgent = true, true
			t.memory.Error = errNotKept.Error()
		}
	}
	return false
}

// words returns what has changed as it is kept. The caller holds the lock.
func (s *Service) words() (all []store.TriggerMemory) {
	for t := range s.changed {
		text, err := json.Marshal(t.memory)
		if err != nil { // cannot be: it has times of this millennium, texts, and JSON that was checked
			s.Log.Error("what a trigger has to remember cannot be written down", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
			continue
		}
		all = append(all, store.TriggerMemory{WorkflowID: t.of.Definition.ID, NodeID: t.node, Memory: text})
	}
	return all
}

// recall returns what a trigger remembers; ok is false if that is nothing.
func (s *Service) recall(workflowID, nodeID string) (m memory, ok bool) {
	text, err := s.Store.Memory(context.WithoutCancel(s.life), workflowID, nodeID)
	if err == nil && text == nil {
		return m, false
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		s.Log.Error("what a trigger remembers cannot be read; it begins anew", "workflow", workflowID, "node", nodeID, "error", err)
		return memory{}, false
	}
	return m, !m.Last.IsZero()
}
