package run

import (
	"bytes"
	"crypto/sha256"
	"hash/maphash"
	"reflect"
	"slices"
	"strings"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

// Encoder makes the frames of one run. A value whose JSON has more than [limit.DedupThreshold]
// bytes is stored once, and the last frame refers to the frames that have the outputs of nodes. It
// is not safe for concurrent use. The zero Encoder is ready for use.
type Encoder struct {
	// Bare makes the last frame do without the outputs that no earlier frame has.
	Bare bool
	// Exact makes frames of nodes keep which numbers are floats, for who goes on with the run
	// from what is kept. What is shown does not change.
	Exact bool
	// Room is memory that the texts of large values may lie in beside each other, for a journal
	// that is done with all frames before it goes there for another run. The Encoder takes more
	// if it has to. If it is nil, each has memory of its own.
	Room []byte

	seed  maphash.Seed
	told  map[string]told // what frames have as the outputs of nodes outside of bodies
	large *[8]largeValue  // the last ones, in a ring: values often pass through many nodes; nil as long as there was none
	next  int
	parts []part // of the value that was printed last

	text    []byte
	holes   []Reference
	floats  []int
	outputs []madeOutputs
}

// told is the position of the outputs of a node.
type told struct {
	frame int
	sum   uint64 // of their text; 0 if that is not known, but is what the run goes by
}

// madeOutputs is the position of the outputs of a node in the current frame.
type madeOutputs struct {
	node  string
	span  Span
	holes [2]int // the first one in them, and the first one behind them
	gone  bool   // the run has let some of them go, which an earlier frame has
}

// largeValue is a value that is stored once, with the reference to it.
type largeValue struct {
	value  any
	digest Digest
	size   int
	exact  bool
	text   []byte // nil if it is longer than what is ever shown
}

// ToldBefore replaces the outputs of a node that an earlier frame has, in an event that is made
// from a journal; see [Encoder.Recall].
func ToldBefore() map[string]any { return map[string]any{"told": "before"} }

// Frame returns the frame of e, numbered as e is, as the journal stores it and as followers see it.
// The latter lacks outputs that are [ToldBefore].
func (c *Encoder) Frame(e *engine.Event) (kept, shown Frame) {
	kept = c.whole(e)
	shown = kept.shown(limit.Shown)
	c.note(e, &kept)
	return kept, shown
}

// Kept is Frame for a journal without followers.
func (c *Encoder) Kept(e *engine.Event) Frame {
	kept := c.whole(e)
	c.note(e, &kept)
	return kept
}

// Inputs returns the JSON of the inputs of a run. Frames refer to their large values.
func (c *Encoder) Inputs(inputs map[string]any) Frame {
	c.holes = c.holes[:0]
	text := value.AppendRecord(nil, inputs, func(dst []byte, v any) []byte { return c.Value(dst, v, false) })
	return Frame{Data: text, Holes: append([]Reference(nil), c.holes...)}
}

// whole returns the frame of e with all outputs in it.
func (c *Encoder) whole(e *engine.Event) Frame {
	if c.told == nil {
		c.told, c.seed = map[string]told{}, maphash.MakeSeed()
	}
	c.holes, c.outputs, c.floats = c.holes[:0], c.outputs[:0], c.floats[:0]
	c.text = e.AppendWith(c.text[:0], c)
	kept := NewFrame(e, slices.Clone(c.text))
	kept.Holes = append([]Reference(nil), c.holes...)
	if len(c.text) > limit.Shown {
		c.text = nil // not kept for ever
	}
	return kept
}

// note records the outputs of a frame, and makes the last frame refer to them.
func (c *Encoder) note(e *engine.Event, kept *Frame) {
	switch {
	case e.Name.Terminal():
		c.refer(kept)
	case len(c.outputs) == 1:
		kept.Outputs, kept.Floats = c.outputs[0].span, append([]int(nil), c.floats...)
		if !strings.Contains(e.NodeID, "/") {
			c.told[e.NodeID] = told{e.Seq, c.sum(kept, &c.outputs[0])}
		}
	}
}

// Forget undoes a frame that the journal did not store.
func (c *Encoder) Forget(f *Frame) {
	if c.told[f.Node].frame == f.Seq {
		delete(c.told, f.Node)
	}
	c.large = nil
}

// Recall notes frame f of the journal, to which later frames may refer.
func (c *Encoder) Recall(f *Frame) {
	if c.told == nil {
		c.told, c.seed = map[string]told{}, maphash.MakeSeed()
	}
	if f.Name == engine.EventNode && f.Outputs != (Span{}) {
		c.told[f.Node] = told{frame: f.Seq}
	}
}

// Value implements [engine.Printer].
func (c *Encoder) Value(dst []byte, v any, ofRun bool) []byte {
	if !value.Exceeds(v, limit.DedupThreshold) {
		if out, ok := value.AppendMax(dst, v, limit.DedupThreshold); ok {
			c.noteFloats(v, len(dst), out)
			return out
		}
	}
	known := c.known(v)
	if known == nil {
		if c.Bare {
			return engine.AppendElided(dst, max(limit.DedupThreshold+1, value.Size(v, value.MaxSize)))
		}
		l := c.apart(v)
		c.holes = append(c.holes, l.hole(len(dst), ofRun, l.text))
		if l.size > limit.Shown {
			l.text = nil
		}
		if c.large == nil {
			c.large = &[8]largeValue{}
		}
		c.large[c.next] = l
		c.next = (c.next + 1) % len(c.large)
		return dst
	}
	text := known.text
	if text == nil && ofRun {
		text = c.print(v) // it is shown whole
	}
	c.holes = append(c.holes, known.hole(len(dst), ofRun, text))
	return dst
}

// apart returns a value that is stored once.
func (c *Encoder) apart(v any) largeValue {
	text := c.print(v)
	l := largeValue{value: v, digest: sha256.Sum256(text), size: len(text), text: text}
	if c.Exact {
		l.size = len(value.Append(nil, v))
		l.exact = l.size < len(text)
	}
	return l
}

func (l *largeValue) hole(at int, ofRun bool, text []byte) Reference {
	return Reference{At: at, OfRun: ofRun, Exact: l.exact, Digest: l.digest, Size: l.size, Text: text}
}

// noteFloats notes where the floats without a fraction end of a value that stands in out from there on.
func (c *Encoder) noteFloats(v any, from int, out []byte) {
	if !c.Exact {
		return
	}
	exact := value.AppendExact(nil, v)
	for at := from; at-from < len(exact) && len(exact) > len(out)-from; {
		if at < len(out) && exact[at-from] == out[at] {
			at++
			continue
		}
		c.floats = append(c.floats, at)
		exact = append(exact[:at-from], exact[at-from+len(value.Fraction):]...)
	}
}

// known returns what is known of a value that came before; a value that is the same at
// another place may be taken for a new one.
func (c *Encoder) known(v any) *largeValue {
	if c.large == nil {
		return nil
	}
	for i := range c.large {
		if l := &c.large[i]; l.size > 0 && same(l.value, v) {
			return l
		}
	}
	return nil
}

// same reports whether a and b are the same text, list or record. That of large ones
// takes no time if they are at one place.
func same(a, b any) bool {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		return ok && a == b
	case []any:
		b, ok := b.([]any)
		return ok && len(a) == len(b) && len(a) > 0 && &a[0] == &b[0]
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
	}
	return false
}

// Outputs implements [engine.Printer].
func (c *Encoder) Outputs(dst []byte, node string, from int) []byte {
	first := len(c.holes)
	for first > 0 && c.holes[first-1].At > from {
		first--
	}
	gone := bytes.Contains(dst[from:], []byte(`{"$elided":`))
	c.outputs = append(c.outputs, madeOutputs{node, Span{from, len(dst)}, [2]int{first, len(c.holes)}, gone})
	return dst
}

// sum tells texts of outputs apart.
func (c *Encoder) sum(f *Frame, o *madeOutputs) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	at := o.span.From
	for _, hole := range f.Holes[o.holes[0]:o.holes[1]] {
		_, _ = h.Write(f.Data[at:hole.At]) // never fails
		_, _ = h.Write(hole.Digest[:])
		at = hole.At
	}
	_, _ = h.Write(f.Data[at:o.span.To])
	return max(h.Sum64(), 1)
}

// refer makes the last frame refer to the outputs that earlier frames have.
func (c *Encoder) refer(f *Frame) {
	all := *f
	f.Data, f.Holes = make([]byte, 0, len(all.Data)), nil
	at, hole := 0, 0
	take := func(to, holes int) {
		for ; hole < holes; hole++ {
			moved := all.Holes[hole]
			moved.At += len(f.Data) - at
			f.Holes = append(f.Holes, moved)
		}
		f.Data = append(f.Data, all.Data[at:to]...)
		at = to
	}
	for i := range c.outputs {
		o := &c.outputs[i]
		before, ok := c.told[o.node]
		ok = ok && (before.sum == 0 || o.gone || before.sum == c.sum(&all, o))
		if !ok && !c.Bare {
			continue
		}
		take(o.span.From, o.holes[0])
		if ok {
			f.Holes = append(f.Holes, Reference{At: len(f.Data), Frame: before.frame})
		} else {
			f.Data = append(f.Data, "{}"...)
		}
		at, hole = o.span.To, o.holes[1]
	}
	take(len(all.Data), len(all.Holes))
}
