package workflow

import (
	"fmt"

	"github.com/svcflow/svc/engine/value"
)

// Limits of numbers in a document.
const (
	maxTimeoutMs = 31 * 24 * 60 * 60 * 1000
	maxPauseMs   = 24 * 60 * 60 * 1000
	maxAttempts  = 100
	maxFactor    = 100
	maxDistance  = 1e9 // of a coordinate from 0, in dp
	MaxVia       = 256 // points of a wire
)

// Decode reads a workflow strictly. An unknown, repeated or missing field, a value of the
// wrong kind (including null, unless the field is a value), a number out of range, invalid
// UTF-8, and anything after the document are errors.
//
// The error is a [*value.SyntaxError] with the position, or wraps [ErrTooLarge]. Decode
// checks only the form; engine.Compile checks ids, types and wires.
func Decode(data []byte, limits Limits) (*Definition, error) {
	if limits.Bytes > 0 && len(data) > limits.Bytes {
		return nil, fmt.Errorf("%w: it has %d bytes, allowed are %d", ErrTooLarge, len(data), limits.Bytes)
	}
	var d *Definition
	err := value.Read(data, func(r *value.Reader) (err error) {
		d, err = Read(r, limits)
		return err
	})
	return d, err
}

// Read is [Decode] for a workflow inside a larger document. It does not check the size.
func Read(r *value.Reader, limits Limits) (*Definition, error) {
	d := new(Definition)
	if err := (&decoder{Reader: r, limits: limits}).definition(d); err != nil {
		return nil, err
	}
	return d, nil
}

// UnmarshalJSON is [Decode] with [DefaultLimits].
func (d *Definition) UnmarshalJSON(data []byte) error {
	decoded, err := Decode(data, DefaultLimits())
	if err != nil {
		return err
	}
	*d = *decoded
	return nil
}

type decoder struct {
	*value.Reader
	limits Limits
	depth  int // of bodies
}

// list reads a list of T. The result is never nil.
func list[T any](d *decoder, read func(*T) error) ([]T, error) {
	items := []T{}
	err := d.List(func() error {
		if err := d.Weigh(partWeight); err != nil {
			return err
		}
		var item T
		items = append(items, item)
		return read(&items[len(items)-1])
	})
	return items, err
}

// text reads a string and sets bit in s if it is empty.
func (d *decoder) text(s *spelt, bit spelt) (string, error) {
	text, err := d.Text()
	if text == "" {
		*s |= bit
	}
	return text, err
}

func (d *decoder) definition(def *Definition) error {
	required := 3
	if d.depth > 0 {
		required = 2 // the id of a body is optional
	}
	fields := []string{"nodes", "connections", "id", "name", "description", "groups", "notes"}
	return d.Object(required, fields, func(name string) (err error) {
		switch name {
		case "id":
			def.ID, err = d.text(&def.spelt, speltID)
		case "name":
			def.Name, err = d.text(&def.spelt, speltName)
		case "description":
			def.Description, err = d.text(&def.spelt, speltDescription)
		case "nodes":
			def.Nodes, err = list(d, d.node)
		case "connections":
			def.Connections, err = list(d, d.connection)
		case "groups":
			def.Groups, err = list(d, d.group)
		case "notes":
			def.Notes, err = list(d, d.note)
		}
		return err
	})
}

func (d *decoder) node(n *Node) error {
	fields := []string{"id", "type", "label", "config", "position", "size", "timeoutMs", "retry", "disabled", "body"}
	return d.Object(2, fields, func(name string) (err error) {
		switch name {
		case "id":
			n.ID, err = d.Text()
		case "type":
			n.Type, err = d.Text()
		case "label":
			n.Label, err = d.text(&n.spelt, speltLabel)
		case "config":
			n.Config, err = d.Record()
		case "position":
			n.Position, err = d.position()
		case "size":
			n.Size, err = d.size()
		case "timeoutMs":
			n.TimeoutMs, err = d.Int(1, maxTimeoutMs)
		case "retry":
			n.Retry, err = d.retry()
		case "disabled":
			n.Disabled, err = d.Bool()
			if !n.Disabled {
				n.spelt |= speltDisabled
			}
		case "body":
			n.Body, err = d.body()
		}
		return err
	})
}

func (d *decoder) body() (*Definition, error) {
	if d.limits.Depth > 0 && d.depth >= d.limits.Depth {
		return nil, d.Errorf("bodies are nested deeper than %d", d.limits.Depth)
	}
	d.depth++
	body := new(Definition)
	err := d.definition(body)
	d.depth--
	return body, err
}

func (d *decoder) retry() (*Retry, error) {
	r := new(Retry)
	return r, d.Object(0, []string{"maxAttempts", "initialMs", "factor", "maxMs"}, func(name string) (err error) {
		switch name {
		case "maxAttempts":
			r.MaxAttempts, err = d.Int(1, maxAttempts)
		case "initialMs":
			r.InitialMs, err = d.Int(1, maxPauseMs)
		case "factor":
			r.Factor, err = d.Float(1, maxFactor)
		case "maxMs":
			r.MaxMs, err = d.Int(1, maxPauseMs)
		}
		return err
	})
}

func (d *decoder) connection(c *Connection) error {
	return d.Object(4, []string{"fromNodeId", "fromPort", "toNodeId", "toPort", "via"}, func(name string) (err error) {
		switch name {
		case "fromNodeId":
			c.FromNodeID, err = d.Text()
		case "fromPort":
			c.FromPort, err = d.Text()
		case "toNodeId":
			c.ToNodeID, err = d.Text()
		case "toPort":
			c.ToPort, err = d.Text()
		case "via":
			c.Via, err = d.via()
		}
		return err
	})
}
