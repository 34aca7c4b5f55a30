package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// The brief form of a result is for storing many results: it leaves out the usual values.
// It differs from the wire form as follows. A node that succeeded has no status, and a node
// that was called once has no attempts. Outputs are called out, the duration took, and at
// is the start time in microseconds after the start of the run. The order lists node
// indexes and is left out if it is the order of the nodes.

// AppendBrief appends the result of the run in its brief form. If an output takes more than
// most bytes of JSON, or is no longer in memory, it returns dst and false.
func (r *Run) AppendBrief(dst []byte, most int) (text []byte, ok bool) {
	if r.Exceeds(most) {
		return dst, false
	}
	x, c, text := r.x, clock{}, dst
	text = appendHead(text, &c, r.id, x.plan.id, r.status, x.shown, x.at(r.finished), r.finished)
	text = append(text, `,"outputs":{`...)
	first := true
	for i, v := range x.outputs {
		if text, ok = briefValue(text, &first, x.plan.face.outputs[i].port.Name, v, most); !ok {
			return dst, false
		}
	}
	text = append(text, `},"nodes":{`...)
	first = true
	began := x.shown.UnixMicro()
	for i := range x.nodes {
		text = key(text, &first, x.plan.nodes[i].id)
		if text, ok = x.briefNode(text, began, int32(i), most); !ok {
			return dst, false
		}
	}
	text = append(text, '}')
	places := make([]int, 0, 128) // usually on the stack
	for _, i := range x.order {
		places = append(places, int(i))
	}
	text = appendWarnings(appendPlaces(text, places, len(x.nodes)), x.warnings())
	return append(appendError(text, x.err()), '}'), true
}

func (x *execution) briefNode(dst []byte, began int64, i int32, most int) (text []byte, ok bool) {
	s, n, lo, from := &x.nodes[i], &x.plan.nodes[i], x.plan.graph.outLo[i], len(dst)
	text = briefStatus(dst, s.status)
	first := true
	for k := range n.outputs {
		v := x.values[lo+int32(k)]
		if first && node.Present(v) {
			text = append(text, `,"out":{`...)
		}
		if text, ok = briefValue(text, &first, n.outputs[k].Name, v, most); !ok {
			return dst, false
		}
	}
	if !first {
		text = append(text, '}')
	}
	return briefTail(text, from, failureOf(s.err), s.handled, s.redacted, int(s.warnings), x.skip(i), x.at(s.start).UnixMicro()-began, s.took, int(s.attempts)), true
}

// AppendBrief is [Run.AppendBrief] for a result.
func (r *Result) AppendBrief(dst []byte, most int) (text []byte, ok bool) {
	text = appendHead(dst, new(clock), r.RunID, r.WorkflowID, r.Status, r.StartedAt, r.FinishedAt, r.Duration)
	if text, ok = briefValues(append(text, `,"outputs":`...), r.Outputs, most); !ok {
		return dst, false
	}
	text = append(text, `,"nodes":{`...)
	ids, first := slices.Sorted(maps.Keys(r.Nodes)), true
	for _, id := range ids {
		n := r.Nodes[id]
		text = key(text, &first, id)
		from := len(text)
		text = briefStatus(text, n.Status)
		if len(n.Outputs) > 0 {
			if text, ok = briefValues(append(text, `,"out":`...), n.Outputs, most); !ok {
				return dst, false
			}
		}
		at := n.StartedAt.UnixMicro() - r.StartedAt.UnixMicro()
		text = briefTail(text, from, n.Error, n.Handled, n.Redacted, n.Warnings, n.SkippedBecause, at, n.Duration, n.Attempts)
	}
	places := make([]int, len(r.Order))
	for k, id := range r.Order {
		places[k], _ = slices.BinarySearch(ids, id)
	}
	text = appendWarnings(appendPlaces(append(text, '}'), places, len(ids)), r.Warnings)
	return append(appendError(text, r.Error), '}'), true
}

// briefStatus appends the status of a node, unless it succeeded. It writes a comma where
// the object begins; briefTail replaces it.
func briefStatus(dst []byte, s Status) []byte {
	if s == StatusSucceeded {
		return dst
	}
	dst = append(dst, `,"status":"`...)
	return append(append(dst, s.String()...), '"')
}

// briefValue appends an output with its name, if it has a value.
func briefValue(dst []byte, first *bool, name string, v any, most int) ([]byte, bool) {
	if !node.Present(v) {
		return dst, true
	}
	return value.AppendMax(key(dst, first, name), v, most)
}

func briefValues(dst []byte, values map[string]any, most int) (text []byte, ok bool) {
	text = append(dst, '{')
	first := true
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if text, ok = briefValue(text, &first, name, values[name], most); !ok {
			return dst, false
		}
	}
	return append(text, '}'), true
}

// briefTail appends the fields that follow the outputs of a node and completes the object.
// from is the offset of its first field.
func briefTail(dst []byte, from int, err *Failure, handled, redacted bool, warnings int, skip *Skip, at int64, took time.Duration, attempts int) []byte {
	dst = appendError(dst, err)
	dst = appendFlag(dst, "handled", handled)
	dst = appendFlag(dst, "redacted", redacted)
	dst = appendWarnings(dst, warnings)
	dst = appendSkip(dst, skip)
	if attempts > 0 {
		dst = strconv.AppendInt(append(dst, `,"at":`...), at, 10)
		dst = appendMillis(append(dst, `,"took":`...), took)
	}
	if attempts != 1 {
		dst = strconv.AppendInt(append(dst, `,"attempts":`...), int64(attempts), 10)
	}
	dst[from] = '{'
	return append(dst, '}')
}

// appendPlaces appends the order of nodes as indexes, unless all ended in index order.
func appendPlaces(dst []byte, places []int, nodes int) []byte {
	usual := len(places) == nodes
	for k, i := range places {
		usual = usual && i == k
	}
	if usual {
		return dst
	}
	dst = append(dst, `,"order":[`...)
	for k, i := range places {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(i), 10)
	}
	return append(dst, ']')
}

// AppendExpanded converts a brief result to the wire form and appends it: the same bytes
// that AppendJSON appends.
func AppendExpanded(dst, text []byte) ([]byte, error) {
	var b struct {
		RunID, WorkflowID, Status json.RawMessage
		StartedAt                 time.Time
		FinishedAt, DurationMs    json.RawMessage
		Outputs, Nodes, Error     json.RawMessage
		Warnings                  json.RawMessage
		Order                     []int
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("decode a brief result: %w", err)
	}
	dst = append(append(dst, `{"runId":`...), b.RunID...)
	dst = appendMember(dst, "workflowId", b.WorkflowID)
	dst = appendMember(dst, "status", b.Status)
	dst = appendTime(append(dst, `,"startedAt":`...), b.StartedAt)
	dst = appendMember(dst, "finishedAt", b.FinishedAt)
	dst = appendMember(dst, "durationMs", b.DurationMs)
	dst = appendMember(dst, "outputs", b.Outputs)
	dst, ids, err := appendUnbriefedNodes(append(dst, `,"nodes":{`...), b.Nodes, b.StartedAt)
	if err != nil {
		return nil, fmt.Errorf("decode a brief result: %w", err)
	}
	if b.Order == nil {
		for i := range ids {
			b.Order = append(b.Order, i)
		}
	}
	dst = append(dst, `},"order":[`...)
	for k, i := range b.Order {
		if i < 0 || i >= len(ids) {
			return nil, fmt.Errorf("decode a brief result: there is no node %d", i)
		}
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = value.AppendText(dst, ids[i])
	}
	dst = appendMember(append(dst, ']'), "warnings", b.Warnings)
	return append(appendMember(dst, "error", b.Error), '}'), nil
}

// appendUnbriefedNodes appends the nodes of a run that started at began, and returns their
// ids.
func appendUnbriefedNodes(dst []byte, nodes json.RawMessage, began time.Time) (text []byte, ids []string, err error) {
	d := json.NewDecoder(bytes.NewReader(nodes))
	if _, err := d.Token(); err != nil {
		return nil, nil, err
	}
	first := true
	for d.More() {
		id, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		n := briefNode{Status: json.RawMessage(`"` + StatusSucceeded.String() + `"`), Attempts: 1}
		if err := d.Decode(&n); err != nil {
			return nil, nil, err
		}
		name, _ := id.(string)
		ids = append(ids, name)
		dst = n.append(key(dst, &first, name), began)
	}
	return dst, ids, nil
}

// briefNode is the brief form of the outcome of a node.
type briefNode struct {
	Status, Out, Error, Handled, Redacted, Warnings, SkippedBecause json.RawMessage
	At                                                              int64
	Took                                                            json.RawMessage
	Attempts                                                        int
}

// append appends the wire form.
func (n *briefNode) append(dst []byte, began time.Time) []byte {
	dst = append(append(dst, `{"status":`...), n.Status...)
	dst = appendMember(dst, "outputs", n.Out)
	dst = appendMember(dst, "error", n.Error)
	dst = appendMember(dst, "handled", n.Handled)
	dst = appendMember(dst, "redacted", n.Redacted)
	dst = appendMember(dst, "warnings", n.Warnings)
	dst = appendMember(dst, "skippedBecause", n.SkippedBecause)
	if n.Attempts > 0 {
		dst = appendTime(append(dst, `,"startedAt":`...), began.Add(time.Duration(n.At)*time.Microsecond))
		dst = appendMember(dst, "durationMs", n.Took)
	}
	dst = strconv.AppendInt(append(dst, `,"attempts":`...), int64(n.Attempts), 10)
	return append(dst, '}')
}

// appendMember appends a member of an object, unless text is empty.
func appendMember(dst []byte, name string, text json.RawMessage) []byte {
	if len(text) == 0 {
		return dst
	}
	return append(append(append(append(dst, `,"`...), name...), `":`...), text...)
}
