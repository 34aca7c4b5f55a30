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
	// Waiting are the firings that wait, in order, and Running the runs that go on.
	Waiting []firing `json:"waiting,omitempty"`
	Running []going  `json:"running,omitempty"`

	FiredAt time.Time `json:"firedAt,omitzero"`
	RunID   string    `json:"runId,omitempty"`
	Error   string    `json:"error,omitempty"`
}

// firing is a time that has come.
type firing struct {
	Scheduled time.Time `json:"scheduled"`
	Turn      int       `json:"turn,omitempty"`
	Missed    int       `json:"missed,omitempty"` // before it
}

// going is a run that goes on.
type going struct {
	RunID   string `json:"runId"`
	Resumed int    `json:"resumed,omitempty"` // how often, by itself
}

// clone returns a copy, of which nothing is shared that could be changed.
func (m memory) clone() memory {
	m.Waiting, m.Running = slices.Clone(m.Waiting), slices.Clone(m.Running)
	return m
}

// remember lets a trigger remember m. It is on the disk after the next flush.
func (s *Service) remember(t *armed, m memory) {
	if t.gone {
		return
	}
	t.memory = m
	s.changed[t] = true
}

// flush puts all that triggers have to remember on the disk, at once, and reports whether it
// is there. Until it is, no run is started.
func (s *Service) flush() bool {
	if len(s.changed) == 0 {
		return true
	}
	var all []store.TriggerMemory
	for t := range s.changed {
		text, err := json.Marshal(t.memory)
		if err != nil { // cannot be: it has times of this millennium and texts
			s.Log.Error("what a trigger has to remember cannot be written down", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
			continue
		}
		all = append(all, store.TriggerMemory{WorkflowID: t.of.Definition.ID, NodeID: t.node, Memory: text})
	}
	if err := s.Store.Remember(context.WithoutCancel(s.life), all...); err != nil {
		s.Log.Error("what triggers have to remember cannot be kept; it is tried again", "error", err)
		for t := range s.changed {
			t.memory.Error = "what it has to remember cannot be kept; see the log of the service"
		}
		return false
	}
	clear(s.changed)
	return true
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
