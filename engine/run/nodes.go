package run

import (
	"bytes"
	"slices"

	"github.com/svcflow/svc/engine"
)

// A result says of nodes so, between these and what follows.
const (
	nodesBegin = `"nodes":`
	noNodes    = nodesBegin + `{},"order":[]`
)

// LeaveNodes makes the last frame of a run, which says nothing of nodes, refer to what the frames
// before it tell of them: that is found out when somebody reads it. So a run can be ended
// however many frames it has.
func (f *Frame) LeaveNodes() {
	from := bytes.Index(f.Data, []byte(noNodes)) // no text has it, in which quotes are escaped
	if from < 0 || f.Seq < 2 {
		return
	}
	at, to := from+len(nodesBegin), from+len(noNodes)
	f.Data = append(bytes.Clone(f.Data[:at]), f.Data[to:]...)
	before := 0 // holes; those of the run's own outputs are, and nothing else has any
	for before < len(f.Holes) && f.Holes[before].At < at {
		before++
	}
	f.Holes = slices.Insert(f.Holes, before, Reference{At: at, Frame: f.Seq - 1, Nodes: true})
}

// Nodes returns, as the outputs of a frame, what a result says of nodes, for a hole of
// [Frame.LeaveNodes] behind frame seq. What they have put out other frames have: see [ToldBefore].
func (c *Encoder) Nodes(seq int, result *engine.Result) Frame {
	e := engine.Event{Name: engine.EventCompleted, Seq: seq, Result: &engine.Result{Nodes: result.Nodes, Order: result.Order}}
	f, _ := c.Frame(&e)
	f.Outputs = Span{bytes.Index(f.Data, []byte(nodesBegin)) + len(nodesBegin), len(f.Data) - len("}}")}
	return f
}
