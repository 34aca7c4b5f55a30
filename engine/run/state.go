package run

import (
	"encoding/json"
	"time"

	"github.com/svcflow/svc/engine/value"
)

// State is a small value that outlives runs.
type State struct {
	Key       string
	Value     any
	Revision  int       // changes with every change
	ExpiresAt time.Time // zero if it never expires
}

// StatePage is a page of state values, sorted by key.
type StatePage struct {
	Items      []State `json:"items"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

// stateText is the wire form of [State].
type stateText struct {
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	Revision  int             `json:"revision"`
	ExpiresAt time.Time       `json:"expiresAt,omitzero"`
}

// MarshalJSON implements [json.Marshaler].
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateText{s.Key, value.Append(nil, s.Value), s.Revision, s.ExpiresAt})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *State) UnmarshalJSON(text []byte) (err error) {
	var t stateText
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	s.Key, s.Revision, s.ExpiresAt = t.Key, t.Revision, t.ExpiresAt
	s.Value, err = value.Decode(t.Value)
	return err
}
