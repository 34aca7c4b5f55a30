package run

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/svcflow/svc/engine"
)

// Frame is an event as journals keep it and streams send it.
type Frame struct {
	Seq  int // from 1, without gaps; given by whoever writes the journal
	Name engine.EventName
	Head
	// Data is the JSON of the event, on one line, but for what stands in Holes; shared,
	// so never written to.
	Data  []byte
	Holes []Reference // in their order
	// Outputs says where in Data the outputs of the node stand, if it has put out any.
	Outputs Span
	// Floats says behind which numbers in Data, by their ends and in order, a fraction belongs
	// that is not shown: they are floats, which would be read as ints. Only an exact
	// [Encoder] tells that.
	Floats []int
}

// Span is a part of a text, between two offsets.
type Span struct{ From, To int }

// Reference is a place in the data of a frame where something belongs that is kept once for
// the whole run: a large value, or the outputs that another frame has.
type Reference struct {
	At    int  // in the data, where it belongs
	OfRun bool // it is an output of the run itself, which is shown whole
	// Exact says that the JSON of the value has fractions that are not shown: see
	// [value.AppendExact].
	Exact bool
	// Frame is the number of the frame whose outputs belong here; 0 for a value.
	Frame int
	// Nodes says that what belongs here is not that frame's, but what all frames up to it tell
	// of the nodes; see [Frame.LeaveNodes].
	Nodes bool
	// Digest and Size are the SHA-256 of the JSON of a value, and its bytes as it is shown.
	Digest Digest
	Size   int
	// Text is the JSON of the value where somebody has it at hand; nil in what was read
	// from a journal.
	Text []byte
}

// Digest tells values apart: the SHA-256 of their JSON.
type Digest [sha256.Size]byte

// Head is what those who look for something in a journal have to know of an event,
// without its outputs, which may be big.
type Head struct {
	// Time is when it happened; of a terminal event, when the run ended.
	Time time.Time
	Node string // its path; empty for the run itself
	// Status is that of a node that has ended, or with which the run ended.
	Status engine.Status
}

// NewFrame returns the frame of e, which has its number, with its JSON: all of it,
// or as it is shown.
func NewFrame(e *engine.Event, data []byte) Frame {
	h := Head{Time: e.Time, Node: e.NodeID, Status: e.Status}
	if e.Name.Terminal() {
		h.Time, h.Status = e.Result.FinishedAt, e.Result.Status
	}
	h.Time = h.Time.UTC().Truncate(time.Microsecond) // as the JSON has it
	return Frame{Seq: e.Seq, Name: e.Name, Head: h, Data: data}
}

// ReadFrame returns the frame that was kept as data. Its head is taken from the
// beginning of that; where data is not the JSON of an event, it lacks what could not
// be read.
func ReadFrame(seq int, name engine.EventName, data []byte) Frame {
	return Frame{Seq: seq, Name: name, Head: readHead(name, data), Data: data}
}

// Event returns the event of which f, which has no holes, is the frame.
func (f *Frame) Event() (engine.Event, error) {
	e := engine.Event{Name: f.Name}
	return e, e.UnmarshalJSON(f.Data)
}

// readHead reads the first members of an event, or of its result, up to the first
// that is none of a head. Every frame that is read passes here, so it allocates
// nothing but the path of a node.
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
			// The members that follow are its own.
		default:
			return h
		}
	}
}

// cutMember cuts the first member off what is left of an object: behind its brace or
// comma. The value is a text as it is escaped, a number, or nothing where an object
// begins.
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

// cutText cuts off a text, without its quotes.
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
