package runtext

import (
	"encoding/json"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/value"
)

// The firing that started a run is an optional member of its summary.

// firingText is the JSON of an [engine.Firing].
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

// textOfFiring returns the JSON of f; nil if f is nil.
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
