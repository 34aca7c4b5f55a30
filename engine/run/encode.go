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
	// Bare leaves out outputs in the last frame that no earlier frame has.
	Bare bool
	// Exact makes frames of nodes record which numbers are floats, so that the run can
	// resume from them. Shown frames do not change.
	Exact bool
	// Room is a buffer that the texts of large values share. Its owner may reuse it for
	// another run only when the journal has written all frames. The Encoder allocates more
	// if needed. If Room is nil, each text gets its own memory.
	Room []byte

	seed  maphash.Seed
	told  map[string]told // outputs of nodes outside bodies that frames have, by node id
	large *[8]largeValue  // ring of the last values, because values often pass through many nodes; nil before the first one
	next  int
	parts []part // parts of the value that was printed last

	text    []byte
	holes   []Reference
	floats  []int
	outputs []madeOutputs
}

// told is the frame that has the outputs of a node.
type told struct {
	frame int
	sum   uint64 // hash of their text; 0 if the frame was read from a journal
}

// madeOutputs is the position of the outputs of a node in the current frame.
type madeOutputs struct {
	node  string
	span  Span
	holes [2]int // range of the holes in them
	gone  bool   // the run has dropped some of them; an earlier frame has them
}

// largeValue is a value that is stored once, with its reference.
type largeValue struct {
	value  any
	digest Digest
	size   int
	exact  bool
	text   []byte // nil if it is too long to be shown
}

// ToldBefore returns a placeholder for the outputs of a node that an earlier frame has, for
// events that are made from a journal; see [Encoder.Recall].
func ToldBefore() map[string]any { return map[string]any{"told": "before"} }

// Frame returns the frame of e, numbered as e is, as the journal stores it and as followers
// see it. The shown frame lacks outputs that are [ToldBefore].
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
		c.text = nil // do not keep a large buffer
	}
	return kept
}

// note records the outputs of a frame. In the last frame, it replaces outputs by
// references.
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

// Recall records frame f of the journal, so that later frames may refer to it.
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
		text = c.print(v) // the run's outputs are shown whole
	}
	c.holes = append(c.holes, known.hole(len(dst), ofRun, text))
	return dst
}

// apart returns v as a value that is stored once.
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

// noteFloats records the ends of floats without a fraction in the text of v, which begins
// at from in out.
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

// known returns the recorded large value equal to v, or nil. It may miss an equal value at
// another address.
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

// same reports whether a and b are the same string, list or record. Lists and records are
// compared by address, so that it takes no time.
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

// sum returns a hash of the text of a node's outputs.
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

// refer replaces outputs in the last frame by references to earlier frames.
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
