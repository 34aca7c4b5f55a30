package trigger

import (
	"context"
	"encoding/json"
	"slices"
	"time"
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

// remember keeps m as what a trigger remembers. If the disk does not take it, the trigger
// remembers what it did before, and tells so.
func (s *Service) remember(t *armed, m memory) bool {
	if t.gone {
		return false
	}
	text, err := json.Marshal(m)
	if err == nil {
		err = s.Store.Remember(context.WithoutCancel(s.life), t.of.Definition.ID, t.node, append(text, '\n'))
	}
	if err != nil {
		s.Log.Error("what a trigger has to remember cannot be kept", "workflow", t.of.Definition.ID, "node", t.node, "error", err)
		t.memory.Error = "what it has to remember cannot be kept; see the log of the service"
		return false
	}
	t.memory = m
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

// forget lets a trigger that is not there any more begin anew, should it come back.
func (s *Service) forget(t *armed) error {
	return s.Store.Remember(context.WithoutCancel(s.life), t.of.Definition.ID, t.node, []byte("{}\n"))
}
