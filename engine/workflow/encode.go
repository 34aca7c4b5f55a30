package workflow

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/svcflow/svc/engine/value"
)

// MarshalJSON returns the canonical form of d: compact, with fields in a fixed order and
// sorted keys of config values. It contains what the document contained, without defaults.
func (d *Definition) MarshalJSON() ([]byte, error) { return d.canonical(), nil }

// AppendJSON appends the canonical form of d to dst.
func (d *Definition) AppendJSON(dst []byte) []byte {
	e := encoder{dst}
	e.definition(d, true)
	return e.dst
}

// Format returns the canonical form of d for people: indented by two spaces, with small
// lists and records on one line and a newline at the end. A document whose values nest so
// deeply that indenting would make it more than three times as long is not indented.
func (d *Definition) Format() []byte {
	const longer, always = 3, 64 << 10 // how many times as long, and what is always fine, in bytes
	text := d.canonical()
	if indented, ok := value.WrapJSONMax(nil, text, longer*len(text)+always); ok {
		text = indented
	}
	return append(text, '\n')
}

// Digest returns the SHA-256 of the canonical form of d in hexadecimal. Documents that
// differ only in white space have the same digest.
func (d *Definition) Digest() string {
	sum := sha256.Sum256(d.canonical())
	return hex.EncodeToString(sum[:])
}

// canonical is AppendJSON into a buffer of about the right size.
func (d *Definition) canonical() []byte {
	const perNode, perConnection, rest = 128, 96, 256 // bytes, usually
	return d.AppendJSON(make([]byte, 0, perNode*len(d.Nodes)+perConnection*len(d.Connections)+rest))
}

// spelt marks optional fields that the document contained although they have their zero
// value, so that encoding restores them. Fields that can be nil need no mark.
type spelt uint8

const (
	speltID spelt = 1 << iota // of a body
	speltName
	speltDescription
	speltLabel
	speltDisabled
	speltText
	speltColor
)

// encoder appends canonical JSON to dst.
type encoder struct{ dst []byte }

func (e *encoder) definition(d *Definition, outermost bool) {
	e.open('{')
	if outermost {
		e.text("id", d.ID)
	} else {
		e.optional("id", d.ID, d.spelt&speltID)
	}
	e.optional("name", d.Name, d.spelt&speltName)
	e.optional("description", d.Description, d.spelt&speltDescription)
	e.field("nodes")
	array(e, d.Nodes, e.node)
	e.field("connections")
	array(e, d.Connections, e.connection)
	if d.Groups != nil {
		e.field("groups")
		array(e, d.Groups, e.group)
	}
	if d.Notes != nil {
		e.field("notes")
		array(e, d.Notes, e.note)
	}
	e.shut('}')
}

func (e *encoder) node(n *Node) {
	e.open('{')
	e.text("id", n.ID)
	e.text("type", n.Type)
	e.optional("label", n.Label, n.spelt&speltLabel)
	if n.Config != nil {
		e.field("config")
		e.dst = value.Append(e.dst, n.Config)
	}
	e.position(n.Position)
	e.size(n.Size)
	e.int("timeoutMs", n.TimeoutMs)
	e.retry(n.Retry)
	if n.Disabled || n.spelt&speltDisabled != 0 {
		e.field("disabled")
		e.dst = strconv.AppendBool(e.dst, n.Disabled)
	}
	if n.Body != nil {
		e.field("body")
		e.definition(n.Body, false)
	}
	e.shut('}')
}

func (e *encoder) retry(r *Retry) {
	if r == nil {
		return
	}
	e.field("retry")
	e.open('{')
	e.int("maxAttempts", r.MaxAttempts)
	e.int("initialMs", r.InitialMs)
	if r.Factor != 0 {
		e.float("factor", r.Factor)
	}
	e.int("maxMs", r.MaxMs)
	e.shut('}')
}

func (e *encoder) connection(c *Connection) {
	e.open('{')
	e.text("fromNodeId", c.FromNodeID)
	e.text("fromPort", c.FromPort)
	e.text("toNodeId", c.ToNodeID)
	e.text("toPort", c.ToPort)
	if c.Via != nil {
		e.field("via")
		array(e, *c.Via, e.point)
	}
	e.shut('}')
}

func (e *encoder) group(g *Group) {
	e.open('{')
	e.text("id", g.ID)
	e.optional("label", g.Label, g.spelt&speltLabel)
	if g.NodeIDs != nil {
		e.field("nodeIds")
		array(e, g.NodeIDs, func(id *string) { e.dst = value.AppendText(e.dst, *id) })
	}
	e.optional("color", g.Color, g.spelt&speltColor)
	e.shut('}')
}

func (e *encoder) note(n *Note) {
	e.open('{')
	e.text("id", n.ID)
	e.optional("text", n.Text, n.spelt&speltText)
	e.position(n.Position)
	e.size(n.Size)
	e.optional("color", n.Color, n.spelt&speltColor)
	e.shut('}')
}

func (e *encoder) position(p *Position) {
	if p == nil {
		return
	}
	e.field("position")
	e.point(p)
}

func (e *encoder) size(s *Size) {
	if s == nil {
		return
	}
	e.field("size")
	e.open('{')
	e.float("w", s.W)
	e.float("h", s.H)
	e.shut('}')
}

func (e *encoder) point(p *Position) {
	e.open('{')
	e.float("x", p.X)
	e.float("y", p.Y)
	e.shut('}')
}

func array[T any](e *encoder, items []T, item func(*T)) {
	e.open('[')
	for i := range items {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		item(&items[i])
	}
	e.shut(']')
}

func (e *encoder) open(delimiter byte) { e.dst = append(e.dst, delimiter) }
func (e *encoder) shut(delimiter byte) { e.dst = append(e.dst, delimiter) }

// field begins a field of the innermost object; its value must follow.
func (e *encoder) field(name string) {
	if e.dst[len(e.dst)-1] != '{' {
		e.dst = append(e.dst, ',')
	}
	e.dst = append(e.dst, '"')
	e.dst = append(e.dst, name...)
	e.dst = append(e.dst, '"', ':')
}

func (e *encoder) text(name, text string) {
	e.field(name)
	e.dst = value.AppendText(e.dst, text)
}

// optional writes a text unless it is empty and not marked.
func (e *encoder) optional(name, text string, mark spelt) {
	if text != "" || mark != 0 {
		e.text(name, text)
	}
}

// int writes n unless it is 0, which no document contains.
func (e *encoder) int(name string, n int) {
	if n != 0 {
		e.field(name)
		e.dst = strconv.AppendInt(e.dst, int64(n), 10)
	}
}

func (e *encoder) float(name string, f float64) {
	e.field(name)
	e.dst = value.Append(e.dst, f)
}
