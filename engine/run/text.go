package run

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/value"
)

// Source resolves the holes in the frames of a run.
type Source interface {
	// Frame returns a frame by its number.
	Frame(seq int) (Frame, error)
	// Nodes returns the outcome of nodes according to the frames up to seq, in the form of
	// [Encoder.Nodes].
	Nodes(seq int) (Frame, error)
	// Value returns the JSON of a large value.
	Value(d Digest) ([]byte, error)
}

// Write writes the whole JSON of f. Outputs of nodes with more than elide bytes are elided
// without being read, unless elide is [engine.NoElision]. elide must be at least
// [limit.DedupThreshold]. Write holds only one large value in memory at a time.
func (f *Frame) Write(w io.Writer, from Source, elide int) error {
	return f.write(w, from, elide, Span{0, len(f.Data)})
}

// WriteResult is Write for the result in a terminal frame only.
func (f *Frame) WriteResult(w io.Writer, from Source, elide int) error {
	e, err := f.Bare()
	if err != nil {
		return fmt.Errorf("frame %d: %w", f.Seq, err)
	}
	const begin = `"result":`
	at := bytes.Index(f.Data, []byte(begin)) // only an id comes before it, so no user's text can contain it
	if at < 0 || e.Result == nil {
		return fmt.Errorf("frame %d: %w", f.Seq, errNoResult)
	}
	around := len(e.AppendAround(nil, nil, e.Error)) - len(e.AppendAround(nil, nil, nil)) + len("}")
	return f.write(w, from, elide, Span{at + len(begin), len(f.Data) - around})
}

func (f *Frame) write(w io.Writer, from Source, elide int, part Span) error {
	at := part.From
	for i := range f.Holes {
		h := &f.Holes[i]
		if h.At < part.From || h.At > part.To {
			continue
		}
		if _, err := w.Write(f.Data[at:h.At]); err != nil {
			return err
		}
		at = h.At
		if err := h.write(w, from, elide); err != nil {
			return err
		}
	}
	_, err := w.Write(f.Data[at:part.To])
	return err
}

func (h *Reference) write(w io.Writer, from Source, elide int) error {
	switch {
	case h.Frame > 0:
		f, err := h.frame(from)
		if err != nil {
			return err
		}
		return f.write(w, from, elide, f.Outputs)
	case !h.OfRun && elide != engine.NoElision && h.Size > elide:
		_, err := w.Write(engine.AppendElided(nil, h.Size))
		return err
	}
	text := h.Text
	if text == nil {
		var err error
		if text, err = from.Value(h.Digest); err != nil {
			return err
		}
	}
	if h.Exact {
		v, err := value.Decode(text)
		if err != nil {
			return fmt.Errorf("a large value: %w", err)
		}
		text = value.Append(nil, v)
	}
	_, err := w.Write(text)
	return err
}

// frame returns the frame whose outputs belong in a hole.
func (h *Reference) frame(from Source) (Frame, error) {
	read := from.Frame
	if h.Nodes {
		read = from.Nodes
	}
	f, err := read(h.Frame)
	if err == nil && f.Outputs == (Span{}) {
		err = fmt.Errorf("frame %d has no outputs", f.Seq)
	}
	return f, err
}

// Shown returns the first of frames as streams show them: whole, with outputs of nodes over
// [limit.Shown] elided. It stops after about most bytes, but returns at least one frame if
// there is one.
func Shown(frames []Frame, from Source, most int) ([]Frame, error) {
	shown := make([]Frame, 0, len(frames)) // a new slice, because callers may keep it
	bytes := 0
	for i := range frames {
		whole, err := frames[i].Whole(from, limit.Shown)
		if err != nil {
			return nil, err
		}
		shown = append(shown, whole)
		if bytes += len(whole.Data); bytes > most {
			break
		}
	}
	return shown, nil
}

// Whole returns f without holes. Outputs of nodes are elided as in [Frame.Write].
func (f *Frame) Whole(from Source, elide int) (Frame, error) {
	whole := Frame{Seq: f.Seq, Name: f.Name, Head: f.Head, Data: f.Data}
	if len(f.Holes) == 0 {
		return whole, nil
	}
	var text bytes.Buffer
	if err := f.Write(&text, from, elide); err != nil {
		return Frame{}, fmt.Errorf("frame %d: %w", f.Seq, err)
	}
	whole.Data = text.Bytes()
	return whole, nil
}

// shown is [Frame.Whole] for a frame whose values are all in memory or elided.
func (f *Frame) shown(elide int) Frame {
	whole, err := f.Whole(nil, elide)
	if err != nil {
		panic(err) // writing to memory does not fail
	}
	return whole
}

// Bare returns the event of f with null in place of values in holes.
func (f *Frame) Bare() (engine.Event, error) {
	if len(f.Holes) == 0 {
		return f.Event()
	}
	bare := Frame{Name: f.Name, Data: f.filled()}
	return bare.Event()
}

// EventWithoutOutputs returns the event of f, which must not be terminal, without the
// outputs of its node.
func (f *Frame) EventWithoutOutputs() (engine.Event, error) {
	if f.Outputs == (Span{}) {
		return f.Bare()
	}
	text := make([]byte, 0, len(f.Data)-(f.Outputs.To-f.Outputs.From)+len("{}"))
	text = append(append(append(text, f.Data[:f.Outputs.From]...), "{}"...), f.Data[f.Outputs.To:]...)
	spare := Frame{Name: f.Name, Data: text}
	return spare.Event()
}

// filled returns the data with null, or empty outputs, in the holes.
func (f *Frame) filled() []byte {
	var text []byte
	at := 0
	for i := range f.Holes {
		h := &f.Holes[i]
		text, at = append(text, f.Data[at:h.At]...), h.At
		if h.Frame > 0 {
			text = append(text, "{}"...)
		} else {
			text = append(text, "null"...)
		}
	}
	return append(text, f.Data[at:]...)
}

// exact returns f with the hidden fractions of its floats restored.
func (f *Frame) exact() Frame {
	if len(f.Floats) == 0 {
		return *f
	}
	made := *f
	made.Data, made.Floats, made.Holes = make([]byte, 0, len(f.Data)+len(f.Floats)*len(value.Fraction)), nil, slices.Clone(f.Holes)
	at := 0
	for _, end := range f.Floats {
		made.Data = append(append(made.Data, f.Data[at:end]...), value.Fraction...)
		at = end
	}
	made.Data = append(made.Data, f.Data[at:]...)
	moved := func(at int) int {
		n, _ := slices.BinarySearch(f.Floats, at)
		return at + n*len(value.Fraction)
	}
	for i := range made.Holes {
		made.Holes[i].At = moved(made.Holes[i].At)
	}
	made.Outputs = Span{moved(f.Outputs.From), moved(f.Outputs.To)}
	return made
}

// expanded returns f with the outputs of other frames inserted into the holes for them.
func (f *Frame) expanded(from Source) (Frame, error) {
	all := Frame{Seq: f.Seq, Name: f.Name, Head: f.Head}
	at := 0
	for _, h := range f.Holes {
		all.Data, at = append(all.Data, f.Data[at:h.At]...), h.At
		if h.Frame == 0 {
			h.At = len(all.Data)
			all.Holes = append(all.Holes, h)
			continue
		}
		other, err := h.frame(from)
		if err == nil && h.Nodes {
			other, err = other.expanded(from)
		}
		if err != nil {
			return all, err
		}
		other = other.exact()
		part := other.Outputs
		for _, inner := range other.Holes {
			if inner.At > part.From && inner.At < part.To && inner.Frame == 0 {
				inner.At += len(all.Data) - part.From
				all.Holes = append(all.Holes, inner)
			}
		}
		all.Data = append(all.Data, other.Data[part.From:part.To]...)
	}
	all.Data = append(all.Data, f.Data[at:]...)
	all.Outputs = Span{f.Outputs.From, len(all.Data) - (len(f.Data) - f.Outputs.To)} // the data of the holes is included
	return all, nil
}

// Opened returns the event of f with the values that load returns for its holes. load may
// return the same value for several holes; it is then shared.
func (f *Frame) Opened(from Source, load func(*Reference) (any, error)) (engine.Event, error) {
	exact := f.exact()
	all, err := exact.expanded(from)
	if err != nil {
		return engine.Event{}, err
	}
	e, err := all.Bare()
	if err != nil || len(all.Holes) == 0 {
		return e, err
	}
	names := jsontext.NewDecoder(bytes.NewReader(all.filled()))
	for hole := 0; hole < len(all.Holes); {
		if _, err := names.ReadToken(); err != nil {
			return e, fmt.Errorf("frame %d: %w", f.Seq, err)
		}
		if names.InputOffset() != int64(all.Holes[hole].At+len("null")*(hole+1)) {
			continue
		}
		v, err := load(&all.Holes[hole])
		if err != nil {
			return e, err
		}
		put(&e, slices.Collect(names.StackPointer().Tokens()), v)
		hole++
	}
	return e, nil
}

// put sets the value at a path in an event.
func put(e *engine.Event, path []string, v any) {
	name := path[len(path)-1]
	switch {
	case len(path) == 2:
		e.Outputs[name] = v
	case len(path) == 3 && e.Result != nil:
		e.Result.Outputs[name] = v
	case len(path) == 5 && e.Result != nil:
		e.Result.Nodes[path[2]].Outputs[name] = v
	}
}
