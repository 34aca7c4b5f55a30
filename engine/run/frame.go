package run

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svcflow/svc/engine"
)

// Frame is an event in the form in which journals store it and streams send it.
type Frame struct {
	Seq  int // from 1, without gaps; assigned by the journal's writer
	Name engine.EventName
	Head
	// Data is the JSON of the event, on one line, without the parts that Holes refer to. It
	// is shared and must not be written to.
	Data  []byte
	Holes []Reference // in order of position
	// Outputs is the position in Data of the node's outputs, if it has any.
	Outputs Span
	// Floats are the ends, in order, of numbers in Data that are floats although they are
	// shown without a fraction. Without them, they would be read as ints. Only an exact
	// [Encoder] records them.
	Floats []int
}

// Span is a part of a text, between two offsets.
type Span struct{ From, To int }

// Reference is a position in the data of a frame where a part is missing that is stored
// once for the whole run: a large value, or the outputs in another frame.
type Reference struct {
	At    int  // position in the data
	OfRun bool // an output of the run itself, which is shown whole
	// Exact means that the JSON of the value has fractions that are not shown: see
	// [value.AppendExact].
	Exact bool
	// Frame is the number of the frame whose outputs are missing here; 0 for a value.
	Frame int
	// Nodes means that the missing part is the outcome of all nodes according to the frames
	// up to Frame; see [Frame.LeaveNodes].
	Nodes bool
	// Digest is the SHA-256 of the JSON of a value, and Size its size in bytes as it is
	// shown.
	Digest Digest
	Size   int
	// Text is the JSON of the value if it is in memory; nil in frames that were read from a
	// journal.
	Text []byte
}

// Digest identifies a value: the SHA-256 of its JSON.
type Digest [sha256.Size]byte

// Head is the part of an event that searches of a journal need. It leaves out the outputs,
// which may be large.
type Head struct {
	// Time is when the event happened; for a terminal event, when the run ended.
	Time time.Time
	Node string // path of the node; empty for the run itself
	// Status is the status of a node that ended, or of a run that ended.
	Status engine.Status
}

// NewFrame returns the frame of e with the number of e. data is its JSON, whole or as it is
// shown.
func NewFrame(e *engine.Event, data []byte) Frame {
	h := Head{Time: e.Time, Node: e.NodeID, Status: e.Status}
	if e.Name.Terminal() {
		h.Time, h.Status = e.Result.FinishedAt, e.Result.Status
	}
	h.Time = h.Time.UTC().Truncate(time.Microsecond) // as the JSON has it
	return Frame{Seq: e.Seq, Name: e.Name, Head: h, Data: data}
}

// ReadFrame returns the frame that was stored as data. Its head is parsed from the
// beginning of data; if data is not the JSON of an event, the head is incomplete.
func ReadFrame(seq int, name engine.EventName, data []byte) Frame {
	return Frame{Seq: seq, Name: name, Head: readHead(name, data), Data: data}
}

// Event returns the event of f, which must have no holes.
func (f *Frame) Event() (engine.Event, error) {
	e := engine.Event{Name: f.Name}
	return e, e.UnmarshalJSON(f.Data)
}

// readHead reads the first members of an event, or of its result, up to the first that is
// not part of a head. Every frame that is read passes here, so it allocates nothing but the
// path of a node.
func readHead(name engine.EventName, data []byte) (h Head) {
	for {
		member, value, rest, ok := cutMember(data)
		if !ok {
			return h
		}
		data = rest
		switch string(member) {
		case "seq", "runId", "workflowId", "startedAt":
		case "time", "finishedAt":
			h.Time, _ = time.Parse(time.RFC3339, string(value))
		case "nodeId":
			h.Node = unescaped(value)
		case "status":
			if h.Status.UnmarshalText(value) != nil || !name.Terminal() {
				return h
			}
		case "result":
			// The members of the result follow.
		default:
			return h
		}
	}
}

// cutMember cuts the first member off the rest of an object, which begins with its brace or
// a comma. value is an escaped string, a number, or empty if an object begins.
func cutMember(data []byte) (member, value, rest []byte, ok bool) {
	if len(data) == 0 || data[0] != '{' && data[0] != ',' {
		return nil, nil, nil, false
	}
	member, rest, ok = cutText(data[1:])
	if !ok || len(rest) < 2 || rest[0] != ':' {
		return nil, nil, nil, false
	}
	switch rest = rest[1:]; rest[0] {
	case '"':
		value, rest, ok = cutText(rest)
	case '{':
	default:
		n := bytes.IndexAny(rest, ",}")
		if ok = n >= 0; ok {
			value, rest = rest[:n], rest[n:]
		}
	}
	return member, value, rest, ok
}

// cutText cuts off a JSON string and returns it without its quotes.
func cutText(data []byte) (text, rest []byte, ok bool) {
	if len(data) == 0 || data[0] != '"' {
		return nil, nil, false
	}
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return data[1:i], data[i+1:], true
		}
	}
	return nil, nil, false
}

func unescaped(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text)
	}
	plain, _ := jsontext.AppendUnquote(nil, slices.Concat([]byte{'"'}, text, []byte{'"'}))
	return string(plain)
}
