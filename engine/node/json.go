package node

import (
	"bytes"
	"encoding/json"

	"github.com/svcflow/svc/engine/value"
)

type portJSON struct {
	Name        string     `json:"name"`
	Type        value.Type `json:"type"`
	Required    *bool      `json:"required,omitempty"`
	Default     any        `json:"default,omitempty"`
	Literal     bool       `json:"literal,omitempty"`
	Networks    []string   `json:"networks,omitempty"`
	Description string     `json:"description"`
	Widget      string     `json:"widget,omitempty"`
}

type specJSON struct {
	Type        string     `json:"type"`
	Plugin      string     `json:"plugin"`
	Label       string     `json:"label"`
	Category    string     `json:"category"`
	Description string     `json:"description"`
	Inputs      []portJSON `json:"inputs"`
	Outputs     []portJSON `json:"outputs"`
	TimeoutMs   int64      `json:"timeoutMs"`
	Pure        bool       `json:"pure"`
	Card        Card       `json:"card"`
}

// MarshalJSON writes the wire form of GET /nodes (DESIGN section 5). It leaves the
// < and > of types alone; an encoder around it has to be told SetEscapeHTML(false)
// to do the same.
func (s *Spec) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(specJSON{
		Type: s.Type, Plugin: s.plugin, Label: s.Label, Category: s.Category, Description: s.Description,
		Inputs: portsJSON(s.Inputs, true), Outputs: portsJSON(s.Outputs, false),
		TimeoutMs: s.Timeout.Milliseconds(), Pure: s.Pure, Card: s.Card,
	})
	return bytes.TrimSpace(b.Bytes()), err
}

func portsJSON(ports []Port, inputs bool) []portJSON {
	out := make([]portJSON, len(ports))
	for i := range ports {
		p := &ports[i]
		out[i] = portJSON{
			Name: p.Name, Type: p.Type, Default: p.Default, Literal: p.Literal,
			Networks: p.Networks, Description: p.Description, Widget: p.Widget,
		}
		if inputs {
			required := p.Required()
			out[i].Required = &required
		}
	}
	return out
}
