package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/svcflow/svc/engine/value"
)

type portJSON struct {
	Name        string     `json:"name"`
	Type        value.Type `json:"type"`
	Required    *bool      `json:"required,omitempty"`
	Default     plain      `json:"default,omitzero"`
	Literal     bool       `json:"literal,omitempty"`
	Networks    []string   `json:"networks,omitempty"`
	Partial     bool       `json:"partial,omitempty"`
	Deferred    bool       `json:"deferred,omitempty"`
	Choices     bool       `json:"choices,omitempty"`
	Outcome     bool       `json:"outcome,omitempty"`
	Warnings    bool       `json:"warnings,omitempty"`
	Script      *Script    `json:"script,omitempty"`
	Description string     `json:"description"`
	Widget      string     `json:"widget,omitempty"`
}

type specJSON struct {
	Type        string       `json:"type"`
	Plugin      string       `json:"plugin"`
	Label       string       `json:"label"`
	Category    string       `json:"category"`
	Description string       `json:"description"`
	Inputs      []portJSON   `json:"inputs"`
	Outputs     []portJSON   `json:"outputs"`
	TimeoutMs   int64        `json:"timeoutMs"`
	Pure        bool         `json:"pure"`
	Role        Role         `json:"role,omitzero"`
	Container   bool         `json:"container,omitzero"`
	Loop        *Loop        `json:"loop,omitempty"`
	Once        bool         `json:"once,omitempty"`
	Converts    []Conversion `json:"converts,omitempty"`
	Derives     *Derives     `json:"derives,omitempty"`
	Aliases     Aliases      `json:"aliases,omitzero"`
	Example     *exampleJSON `json:"example,omitempty"`
	Unavailable string       `json:"unavailable,omitempty"`
	Shows       Shows        `json:"shows,omitzero"`
	Card        Card         `json:"card"`
}

type exampleJSON struct {
	Config plain `json:"config"`
	Body   plain `json:"body,omitzero"`
}

// MarshalJSON writes the wire form of GET /nodes. It does not escape the < and > of types;
// an enclosing encoder must call SetEscapeHTML(false) to keep them.
func (s *Spec) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(specJSON{
		Type: s.Type, Plugin: s.plugin, Label: s.Label, Category: s.Category, Description: s.Description,
		Inputs: portsJSON(s.Inputs, true), Outputs: portsJSON(s.Outputs, false),
		TimeoutMs: s.Timeout.Milliseconds(), Pure: s.Pure, Role: s.Role, Container: s.Container, Shows: s.Shows, Card: s.Card,
		Loop: s.Loop, Once: s.Once, Converts: s.Converts, Derives: s.Derives, Aliases: s.Aliases, Example: writeExample(s.Example), Unavailable: s.Unavailable,
	})
	return bytes.TrimSpace(b.Bytes()), err
}

func writeExample(e *Example) *exampleJSON {
	if e == nil {
		return nil
	}
	return &exampleJSON{plain{e.Config}, plain{e.Body}}
}

func readExample(e *exampleJSON) *Example {
	if e == nil {
		return nil
	}
	config, _ := e.Config.value.(map[string]any)
	return &Example{Config: config, Body: e.Body.value}
}

func portsJSON(ports []Port, inputs bool) []portJSON {
	out := make([]portJSON, len(ports))
	for i := range ports {
		p := &ports[i]
		out[i] = portJSON{
			Name: p.Name, Type: p.Type, Default: plain{p.Default}, Literal: p.Literal,
			Networks: p.Networks, Partial: p.Partial, Deferred: p.Deferred, Choices: p.Choices, Outcome: p.Outcome, Warnings: p.Warnings, Script: p.Script, Description: p.Description, Widget: p.Widget,
		}
		if inputs {
			required := p.Required()
			out[i].Required = &required
		}
	}
	return out
}

// UnmarshalJSON reads the wire form of GET /nodes, for clients. Fields that are not on the
// wire, such as how the engine calls the node, are zero afterwards. Unknown fields are
// ignored.
func (s *Spec) UnmarshalJSON(data []byte) error {
	var w specJSON
	if err := json.Unmarshal(data, &w); err != nil {
		return fmt.Errorf("decode a node type: %w", err)
	}
	*s = Spec{
		Type: w.Type, plugin: w.Plugin, Label: w.Label, Category: w.Category, Description: w.Description,
		Timeout: time.Duration(w.TimeoutMs) * time.Millisecond, Pure: w.Pure, Role: w.Role, Container: w.Container, Shows: w.Shows, Card: w.Card,
		Loop: w.Loop, Once: w.Once, Converts: w.Converts, Derives: w.Derives, Aliases: w.Aliases, Example: readExample(w.Example), Unavailable: w.Unavailable,
		Inputs: readPorts(w.Inputs), Outputs: readPorts(w.Outputs),
	}
	return nil
}

func readPorts(ports []portJSON) []Port {
	out := make([]Port, len(ports))
	for i := range ports {
		p := &ports[i]
		out[i] = Port{
			Name: p.Name, Type: p.Type, Optional: p.Required != nil && !*p.Required && p.Default.value == nil,
			Default: p.Default.value, Literal: p.Literal, Networks: p.Networks,
			Partial: p.Partial, Deferred: p.Deferred, Choices: p.Choices, Outcome: p.Outcome, Warnings: p.Warnings, Script: p.Script, Description: p.Description, Widget: p.Widget,
		}
	}
	return out
}

// plain is a JSON value whose integers are decoded as integers.
type plain struct{ value any }

// IsZero supports omitzero.
func (p plain) IsZero() bool { return p.value == nil }

// MarshalJSON implements json.Marshaler.
func (p plain) MarshalJSON() ([]byte, error) { return value.Encode(p.value), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (p *plain) UnmarshalJSON(data []byte) (err error) {
	p.value, err = value.Decode(data)
	return err
}
