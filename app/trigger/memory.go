package trigger

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/svcflow/svc/store"
)

// memory is the saved state of a trigger, as JSON.
type memory struct {
	// Last is the time up to which all times are handled.
	Last time.Time `json:"last"`
	// Turn counts how often the clock was set back, so that a repeated time has another key.
	Turn int `json:"turn,omitempty"`
	// Missed counts the times that did not fire. Unreported of them have not been reported by a
	// firing yet.
	Missed     int `json:"missed,omitempty"`
	Unreported int `json:"untold,omitempty"`
	// Pending are the times that are being enqueued; nil if there are none.
	Pending *pendingTimes `json:"putting,omitempty"`
	// Refused counts refused firings.
	Refused int `json:"refused,omitempty"`
	// Running are the runs in progress.
	Running []startedRun `json:"running,omitempty"`
	// Source is the memory of a poll or a watch.
	Source json.RawMessage `json:"source,omitempty"`

	FiredAt time.Time `json:"firedAt,omitzero"`
	RunID   string    `json:"runId,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// startedRun is a run in progress.
type startedRun struct {
	RunID   string `json:"runId"`
	Resumed int    `json:"resumed,omitempty"` // how often it was resumed automatically
}

// clone returns a copy that can be changed.
func (m memory) clone() memory {
	m.Running = slices.Clone(m.Running)
	return m
}

// miss counts times that do not fire.
func (m *memory) miss(n int) { m.Missed, m.Unreported = m.Missed+n, m.Unreported+n }

// remember sets the memory of a trigger, to be saved in this step. The caller holds mu.
func (s *Service) remember(t *armed, m memory) {
	if s.rememberLazily(t, m) {
		s.flushSoon = true
	}
}

// rememberLazily sets the memory of a trigger, to be saved within a second. It is for changes
// that can be recovered after a crash. It reports whether there is something to save.
func (s *Service) rememberLazily(t *armed, m memory) bool {
	if t.replaced {
		return false
	}
	if t.memory = m; t.former {
		return false
	}
	s.dirty[t] = true
	return true
}

// flush saves all changed memories and reports whether that succeeded. The caller does not hold
// mu.
func (s *Service) flush() bool {
	s.flushMu.Lock()
	defer s.flushMu.Unlock()
	return s.flushAll()
}

// flushAll is flush for callers that hold flushMu.
func (s *Service) flushAll() bool {
	s.mu.Lock()
	changed, all := s.dirty, s.encodeDirty()
	s.dirty, s.flushSoon, s.flushed = map[*armed]bool{}, false, s.Now()
	s.mu.Unlock()
	if len(all) == 0 {
		return true
	}
	err := s.Store.Remember(context.WithoutCancel(s.life), all...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		for t := range changed {
			s.unloadIfIdle(t.of)
		}
		return true
	}
	s.Log.Error("the state of triggers cannot be saved; retrying", "error", err)
	for t := range changed {
		if !t.replaced {
			s.dirty[t], s.flushSoon = true, true
			t.memory.Error = errNotSaved.Error()
		}
	}
	return false
}

// encodeDirty returns the changed memories as JSON. The caller holds mu.
func (s *Service) encodeDirty() (all []store.TriggerMemory) {
	for t := range s.dirty {
		text, err := json.Marshal(t.memory)
		if err != nil { // impossible: Source was checked, and times have years below 10,000
			s.Log.Error("the state of a trigger cannot be encoded", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
			continue
		}
		all = append(all, store.TriggerMemory{WorkflowID: t.of.Definition.ID, NodeID: t.node, Memory: text})
	}
	return all
}

// loadMemory reads the memory of a trigger; ok is false if it has none.
func (s *Service) loadMemory(workflowID, nodeID string) (m memory, ok bool) {
	text, err := s.Store.Memory(context.WithoutCancel(s.life), workflowID, nodeID)
	if err == nil && text == nil {
		return m, false
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		s.Log.Error("the state of a trigger cannot be read; it starts afresh", "workflow", workflowID, "node", nodeID, "error", err)
		return memory{}, false
	}
	return m, !m.Last.IsZero()
}
