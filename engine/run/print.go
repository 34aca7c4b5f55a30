package run

import (
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

// part is a field of a large value that is large, too, at any depth.
type part struct {
	value any
	span  Span // in the text of the whole value
	text  []byte
}

const (
	partFields = 16      // records with more fields are not searched for parts
	partText   = 1 << 20 // parts of longer texts are not remembered; also the size of the room, in bytes
)

// print returns the JSON of a value as it is stored.
func (c *Encoder) print(v any) []byte {
	if c.Exact {
		return value.AppendExact(nil, v)
	}
	for i := range c.parts {
		if p := &c.parts[i]; same(p.value, v) {
			return p.text
		}
	}
	clear(c.parts)
	c.parts = c.parts[:0]
	text := c.printed(v)
	if len(text) > partText {
		c.parts = nil
	}
	for i := range c.parts {
		p := &c.parts[i]
		p.text = text[p.span.From:p.span.To:p.span.To]
	}
	return text
}

// printed is print for a value that is not a part of the last one.
func (c *Encoder) printed(v any) []byte {
	if c.Room == nil {
		return value.Encoded(v, func(dst []byte, v any) []byte { return c.append(dst, v, 0) })
	}
	if len(c.Room) > partText {
		c.Room = make([]byte, 0, partText)
	}
	from := len(c.Room)
	c.Room = c.append(c.Room, v, from)
	return c.Room[from:len(c.Room):len(c.Room)]
}

// append appends the JSON of v and records its large parts, because the next node often
// emits one of them. whole is the offset of the whole value's text.
func (c *Encoder) append(dst []byte, v any, whole int) []byte {
	record, ok := v.(map[string]any)
	if !ok || len(record) > partFields {
		return value.Append(dst, v)
	}
	return value.AppendRecord(dst, record, func(dst []byte, v any) []byte {
		from := len(dst)
		if dst = c.append(dst, v, whole); len(dst)-from > limit.DedupThreshold {
			c.parts = append(c.parts, part{value: v, span: Span{from - whole, len(dst) - whole}})
		}
		return dst
	})
}
