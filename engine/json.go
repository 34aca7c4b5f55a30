package engine

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/value"
)

// AppendJSON appends the result of the run in its wire form (docs/design.md, Execution). An
// output of a node whose JSON is longer than elide bytes is shown as
// {"$elided":{"bytes":n}}, unless elide is [NoElision]; the outputs of the workflow itself
// are always whole. It writes the same JSON as Result() does, with nodes and outputs in
// document order, but without building maps.
func (r *Run) AppendJSON(dst []byte, elide int) []byte {
	x := r.x
	var c clock
	dst = appendHead(dst, &c, r.id, x.plan.id, r.status, x.shown, x.at(r.finished), r.finished)
	dst = append(dst, `,"outputs":{`...)
	first := true
	for i, v := range x.outputs {
		if node.Present(v) {
			dst = key(dst, &first, x.plan.face.outputs[i].port.Name)
			dst = value.Append(dst, v)
		}
	}
	dst = append(dst, `},"nodes":{`...)
	first = true
	var gauge value.Gauge
	for i := range x.nodes {
		dst = key(dst, &first, x.plan.nodes[i].id)
		dst = x.appendNode(dst, &c, int32(i), elide, &gauge)
	}
	dst = append(dst, `},"order":[`...)
	for k, i := range x.order {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = value.AppendText(dst, x.plan.nodes[i].id)
	}
	dst = appendWarnings(append(dst, ']'), x.warnings())
	return append(appendError(dst, x.err()), '}')
}

func (x *execution) appendNode(dst []byte, c *clock, i int32, elide int, gauge *value.Gauge) []byte {
	s, n, lo := &x.nodes[i], &x.plan.nodes[i], x.plan.graph.outLo[i]
	dst = appendStatus(dst, s.status)
	first := true
	for k := range n.outputs {
		v := x.values[lo+int32(k)]
		if !node.Present(v) {
			continue
		}
		if first {
			dst = append(dst, `,"outputs":{`...)
		}
		dst = key(dst, &first, n.outputs[k].Name)
		dst = appendElided(dst, v, elide, gauge)
	}
	if !first {
		dst = append(dst, '}')
	}
	return appendTail(dst, c, failureOf(s.err), s.handled, s.redacted, int(s.warnings), x.skip(i), x.at(s.start), s.took, int(s.attempts))
}

// MarshalJSON writes the wire form of a result, with nothing elided.
func (r Result) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil, NoElision), nil }

// AppendJSON is [Run.AppendJSON] for a result.
func (r *Result) AppendJSON(dst []byte, elide int) []byte { return r.append(dst, eliding(elide)) }

func (r *Result) append(dst []byte, p Printer) []byte {
	var c clock
	dst = appendHead(dst, &c, r.RunID, r.WorkflowID, r.Status, r.StartedAt, r.FinishedAt, r.Duration)
	dst = append(dst, `,"outputs":`...)
	dst = appendValues(dst, r.Outputs, true, p)
	dst = append(dst, `,"nodes":{`...)
	first := true
	for _, id := range slices.Sorted(maps.Keys(r.Nodes)) {
		n := r.Nodes[id]
		dst = key(dst, &first, id)
		dst = appendStatus(dst, n.Status)
		dst = appendOutputs(dst, id, n.Outputs, p)
		dst = appendTail(dst, &c, n.Error, n.Handled, n.Redacted, n.Warnings, n.SkippedBecause, n.StartedAt, n.Duration, n.Attempts)
	}
	dst = append(dst, `},"order":[`...)
	for k, id := range r.Order {
		if k > 0 {
			dst = append(dst, ',')
		}
		dst = value.AppendText(dst, id)
	}
	dst = appendWarnings(append(dst, ']'), r.Warnings)
	return append(appendError(dst, r.Error), '}')
}

// AppendJSON appends the data of the event in its wire form (docs/design.md, Events),
// eliding outputs of nodes as [Run.AppendJSON] does.
func (e *Event) AppendJSON(dst []byte, elide int) []byte { return e.AppendWith(dst, eliding(elide)) }

// AppendWith is [Event.AppendJSON] with a printer of values.
func (e *Event) AppendWith(dst []byte, p Printer) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, int64(e.Seq), 10)
	dst = append(dst, `,"runId":`...)
	dst = value.AppendText(dst, e.RunID)
	dst = append(dst, `,"time":`...)
	dst = appendTime(dst, e.Time)
	if e.NodeID != "" {
		dst = append(dst, `,"nodeId":`...)
		dst = value.AppendText(dst, e.NodeID)
	}
	switch e.Name {
	case EventNode:
		dst = e.appendEnded(dst, p)
	case EventStarted:
		if e.NodeID == "" {
			dst = append(dst, `,"workflowId":`...)
			dst = value.AppendText(dst, e.WorkflowID)
		}
	case EventProgress:
		dst = e.appendProgress(dst)
	case EventCompleted, EventFailed:
		dst = append(dst, `,"result":`...)
		dst = appendError(e.Result.append(dst, p), e.Error)
	}
	return append(dst, '}')
}

// AppendAround appends the data of a terminal event whose result is already JSON.
func (e *Event) AppendAround(dst, result []byte, failure *Failure) []byte {
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendInt(dst, int64(e.Seq), 10)
	dst = append(dst, `,"runId":`...)
	dst = value.AppendText(dst, e.RunID)
	dst = append(dst, `,"time":`...)
	dst = appendTime(dst, e.Time)
	dst = append(append(dst, `,"result":`...), result...)
	return append(appendError(dst, failure), '}')
}

// MarshalJSON writes the wire form of an event's data, with nothing elided.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil, NoElision), nil }

func (e *Event) appendEnded(dst []byte, p Printer) []byte {
	dst = append(dst, `,"status":"`...)
	dst = append(dst, e.Status.String()...)
	dst = append(dst, '"')
	dst = appendOutputs(dst, e.NodeID, e.Outputs, p)
	dst = appendError(dst, e.Error)
	if e.Permanent {
		dst = append(dst, `,"permanent":true`...)
	}
	dst = appendFlag(dst, "handled", e.Handled)
	dst = appendFlag(dst, "reused", e.Reused)
	dst = appendFlag(dst, "redacted", e.Redacted)
	dst = appendWarnings(dst, e.Warnings)
	dst = appendSkip(dst, e.SkippedBecause)
	dst = append(dst, `,"durationMs":`...)
	dst = appendMillis(dst, e.Duration)
	dst = append(dst, `,"attempts":`...)
	return strconv.AppendInt(dst, int64(e.Attempts), 10)
}

func (e *Event) appendProgress(dst []byte) []byte {
	if e.Step > 0 || e.Total > 0 {
		dst = append(dst, `,"step":`...)
		dst = strconv.AppendInt(dst, int64(e.Step), 10)
	}
	if e.Total > 0 {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendInt(dst, int64(e.Total), 10)
	}
	if e.Message != "" {
		dst = append(dst, `,"message":`...)
		dst = value.AppendText(dst, e.Message)
	}
	if e.Error != nil {
		dst = append(dst, `,"retryInMs":`...)
		dst = strconv.AppendInt(dst, e.RetryIn.Milliseconds(), 10)
	}
	return appendError(dst, e.Error)
}

func appendHead(dst []byte, c *clock, runID, workflowID string, s Status, start, end time.Time, took time.Duration) []byte {
	dst = append(dst, `{"runId":`...)
	dst = value.AppendText(dst, runID)
	dst = append(dst, `,"workflowId":`...)
	dst = value.AppendText(dst, workflowID)
	dst = append(dst, `,"status":"`...)
	dst = append(dst, s.String()...)
	dst = append(dst, `","startedAt":`...)
	dst = c.append(dst, start)
	dst = append(dst, `,"finishedAt":`...)
	dst = c.append(dst, end)
	dst = append(dst, `,"durationMs":`...)
	return appendMillis(dst, took)
}

func appendStatus(dst []byte, s Status) []byte {
	dst = append(dst, `{"status":"`...)
	dst = append(dst, s.String()...)
	return append(dst, '"')
}

// appendTail appends the fields that follow the outputs of a node, and closes its object.
func appendTail(dst []byte, c *clock, err *Failure, handled, redacted bool, warnings int, skip *Skip, start time.Time, took time.Duration, attempts int) []byte {
	dst = appendError(dst, err)
	dst = appendFlag(dst, "handled", handled)
	dst = appendFlag(dst, "redacted", redacted)
	dst = appendWarnings(dst, warnings)
	dst = appendSkip(dst, skip)
	if attempts > 0 {
		dst = append(dst, `,"startedAt":`...)
		dst = c.append(dst, start)
		dst = append(dst, `,"durationMs":`...)
		dst = appendMillis(dst, took)
	}
	dst = append(dst, `,"attempts":`...)
	dst = strconv.AppendInt(dst, int64(attempts), 10)
	return append(dst, '}')
}

func appendOutputs(dst []byte, node string, outputs map[string]any, p Printer) []byte {
	if len(outputs) == 0 {
		return dst
	}
	dst = append(dst, `,"outputs":`...)
	from := len(dst)
	return p.Outputs(appendValues(dst, outputs, false, p), node, from)
}

// appendValues appends values by name, either the outputs of the run or those of a node.
func appendValues(dst []byte, values map[string]any, ofRun bool, p Printer) []byte {
	dst = append(dst, '{')
	first := true
	names := make([]string, 0, 8) // on the stack
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		dst = key(dst, &first, name)
		dst = p.Value(dst, values[name], ofRun)
	}
	return append(dst, '}')
}

func appendError(dst []byte, f *Failure) []byte {
	if f == nil {
		return dst
	}
	dst = append(dst, `,"error":{"code":`...)
	dst = value.AppendText(dst, f.Code)
	dst = append(dst, `,"message":`...)
	dst = value.AppendText(dst, f.Message)
	if f.NodeID != "" {
		dst = append(dst, `,"nodeId":`...)
		dst = value.AppendText(dst, f.NodeID)
	}
	return append(dst, '}')
}

func appendSkip(dst []byte, s *Skip) []byte {
	if s == nil {
		return dst
	}
	dst = append(dst, `,"skippedBecause":{"nodeId":`...)
	dst = value.AppendText(dst, s.NodeID)
	dst = append(dst, `,"reason":"`...)
	dst = append(dst, s.Reason...)
	return append(dst, `"}`...)
}

func appendFlag(dst []byte, name string, set bool) []byte {
	if !set {
		return dst
	}
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	return append(dst, `":true`...)
}

// appendWarnings appends how many warnings there are, unless there is none.
func appendWarnings(dst []byte, n int) []byte {
	if n == 0 {
		return dst
	}
	return strconv.AppendInt(append(dst, `,"warnings":`...), int64(n), 10)
}

func key(dst []byte, first *bool, name string) []byte {
	if !*first {
		dst = append(dst, ',')
	}
	*first = false
	return append(value.AppendText(dst, name), ':')
}

// Printer prints the values in an event or a result. It allows callers to store values
// separately from the rest.
type Printer interface {
	// Value appends v, an output of the run itself or of a node.
	Value(dst []byte, v any, ofRun bool) []byte
	// Outputs is called after the outputs of a node have been appended, from offset from.
	// It returns dst, in which it may replace them.
	Outputs(dst []byte, node string, from int) []byte
}

// eliding is a Printer that elides outputs of nodes longer than this many bytes, and prints
// those of the run whole.
type eliding int

// Value implements [Printer].
func (e eliding) Value(dst []byte, v any, ofRun bool) []byte {
	if ofRun {
		return value.Append(dst, v)
	}
	return appendElided(dst, v, int(e), new(value.Gauge))
}

// Outputs implements [Printer].
func (eliding) Outputs(dst []byte, _ string, _ int) []byte { return dst }

// NoElision is the elide argument that shows every output whole.
const NoElision = -1

// elidedKey is the only field of the value that replaces an elided one.
const elidedKey = "$elided"

// Elide returns the replacement for a value of that many bytes of JSON:
// {"$elided":{"bytes":n}}.
func Elide(bytes int) any {
	return map[string]any{elidedKey: map[string]any{"bytes": bytes}}
}

// Elided reports whether v replaces an elided value, and how many bytes of JSON that value
// has.
func Elided(v any) (bytes int, ok bool) {
	stand, _ := v.(map[string]any)
	if len(stand) != 1 {
		return 0, false
	}
	about, _ := stand[elidedKey].(map[string]any)
	switch n := about["bytes"].(type) {
	case int:
		return n, true
	case float64:
		return int(n), true
	}
	return 0, false
}

// Shown returns a copy of e with short outputs of nodes: one whose JSON is longer than
// elide bytes is replaced by {"$elided":{"bytes":n}}, as [Event.AppendJSON] would write it.
// Other values are shared with e.
func (e Event) Shown(elide int) Event {
	var room []byte // buffer to measure outputs
	e.Outputs, room = elidedOutputs(e.Outputs, elide, room)
	if e.Result != nil {
		result := *e.Result
		result.Nodes = make(map[string]NodeResult, len(e.Result.Nodes))
		for id, n := range e.Result.Nodes {
			n.Outputs, room = elidedOutputs(n.Outputs, elide, room)
			result.Nodes[id] = n
		}
		e.Result = &result
	}
	return e
}

func elidedOutputs(outputs map[string]any, elide int, room []byte) (shown map[string]any, used []byte) {
	copied := false
	shown = outputs
	for name, v := range outputs {
		text, whole := appendUpTo(room[:0], v, elide)
		if room = text; whole {
			continue
		}
		if !copied {
			shown, copied = maps.Clone(outputs), true
		}
		shown[name] = Elide(elidedBytes(v, elide))
	}
	return shown, room
}

// appendElided appends v, or its approximate size if that is more than elide. Printing a
// value only to count its bytes would cost more than many runs do, and so would measuring
// one that seems short enough to print.
func appendElided(dst []byte, v any, elide int, gauge *value.Gauge) []byte {
	if gone, ok := v.(letGo); ok {
		return AppendElided(dst, gone.bytes)
	}
	if elide == NoElision {
		return value.Append(dst, v)
	}
	about, exceeds, short := 0, false, value.SeemsShort(v, elide)
	if !short {
		about, exceeds = gauge.Measure(v, elide)
	}
	if !exceeds {
		if text, whole := value.AppendMax(dst, v, elide); whole {
			return text
		}
	}
	if short {
		about, _ = gauge.Measure(v, elide)
	}
	return AppendElided(dst, max(elide+1, about))
}

// AppendElided appends the replacement for a value of that many bytes of JSON; see [Elide].
func AppendElided(dst []byte, bytes int) []byte {
	dst = append(dst, `{"`+elidedKey+`":{"bytes":`...)
	dst = strconv.AppendInt(dst, int64(bytes), 10)
	return append(dst, `}}`...)
}

// appendUpTo appends v if it is at most elide bytes long, and reports whether it did.
func appendUpTo(dst []byte, v any, elide int) (text []byte, whole bool) {
	_, gone := v.(letGo)
	switch {
	case gone:
		return dst, false
	case elide == NoElision:
		return value.Append(dst, v), true
	case !value.SeemsShort(v, elide) && value.Exceeds(v, elide):
		return dst, false
	}
	return value.AppendMax(dst, v, elide)
}

// elidedBytes returns the approximate size of v, which is longer than elide.
func elidedBytes(v any, elide int) int {
	if gone, ok := v.(letGo); ok {
		return gone.bytes
	}
	return max(elide+1, value.Size(v, value.MaxSize))
}

// kept returns v, or its replacement if it was dropped.
func kept(v any) any {
	if gone, ok := v.(letGo); ok {
		return Elide(gone.bytes)
	}
	return v
}

// clock prints times as RFC 3339 in UTC, to the microsecond. Results have a time for each
// node, most of them in the same second, so clock prints all but the microseconds only
// once. Its zero value is ready for use.
type clock struct {
	second int64    // Unix time of text
	text   [29]byte // the last printed time; zero before the first
}

// append appends t.
func (c *clock) append(dst []byte, t time.Time) []byte {
	if c.text[0] == 0 || t.Unix() != c.second {
		if t = t.UTC(); !c.set(t) {
			return append(t.AppendFormat(append(dst, '"'), "2006-01-02T15:04:05.000000Z"), '"')
		}
	}
	putDigits(c.text[21:27], t.Nanosecond()/int(time.Microsecond))
	return append(dst, c.text[:]...)
}

// set prints the second of t, which must be in UTC. It avoids the cost of parsing a time
// layout. It returns false if the year does not have four digits.
func (c *clock) set(t time.Time) bool {
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return false
	}
	hour, minute, second := t.Clock()
	c.second = t.Unix()
	copy(c.text[:], `"0000-00-00T00:00:00.000000Z"`)
	putDigits(c.text[1:5], year)
	putDigits(c.text[6:8], int(month))
	putDigits(c.text[9:11], day)
	putDigits(c.text[12:14], hour)
	putDigits(c.text[15:17], minute)
	putDigits(c.text[18:20], second)
	return true
}

// appendTime appends a single time.
func appendTime(dst []byte, t time.Time) []byte { return new(clock).append(dst, t) }

// putDigits fills text with the digits of n.
func putDigits(text []byte, n int) {
	for i := len(text) - 1; i >= 0; i-- {
		text[i] = '0' + byte(n%10)
		n /= 10
	}
}

// appendMillis appends d, which must not be negative, in milliseconds with microsecond
// precision.
func appendMillis(dst []byte, d time.Duration) []byte {
	micros := max(0, d.Microseconds())
	dst = strconv.AppendInt(dst, micros/1000, 10)
	if micros %= 1000; micros == 0 {
		return dst
	}
	text := [...]byte{'.', '0', '0', '0'}
	putDigits(text[1:], int(micros))
	return append(dst, bytes.TrimRight(text[:], "0")...)
}
