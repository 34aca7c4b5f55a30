package runtext

import (
	"encoding/json"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

// What a run began with is kept as an optional member of what it was started with.

// firingText is an [engine.Firing] as it is kept.
type firingText struct {
	Node    string          `json:"node"`
	Outputs json.RawMessage `json:"outputs"`
}

func checkFiring(f *engine.Firing) error {
	if f == nil {
		return nil
	}
	return value.Check(orEmpty(f.Outputs))
}

// textOfFiring returns f as it is kept; nil if there is none.
func textOfFiring(f *engine.Firing) *firingText {
	if f == nil {
		return nil
	}
	return &firingText{Node: f.Node, Outputs: value.Append(nil, orEmpty(f.Outputs))}
}

func (t *firingText) decode() (*engine.Firing, error) {
	if t == nil {
		return nil, nil
	}
	outputs, err := value.Decode(t.Outputs)
	if err != nil {
		return nil, err
	}
	f := &engine.Firing{Node: t.Node}
	f.Outputs, _ = outputs.(map[string]any)
	return f, nil
}
