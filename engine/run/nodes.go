package run

import (
	"bytes"
	"slices"

	"github.com/svcflow/svc/engine"
)

// The beginning of the nodes in a result's JSON, and the JSON of no nodes.
const (
	nodesBegin = `"nodes":`
	noNodes    = nodesBegin + `{},"order":[]`
)

// LeaveNodes makes the last frame of a run, whose result has no nodes, refer to the earlier
// frames for the outcome of nodes. It is computed when the frame is read, so a run can end
// at the same cost however many frames it has.
func (f *Frame) LeaveNodes() {
	from := bytes.Index(f.Data, []byte(noNodes)) // never part of a string, in which quotes are escaped
	if from < 0 || f.Seq < 2 {
		return
	}
	at, to := from+len(nodesBegin), from+len(noNodes)
	f.Data = append(bytes.Clone(f.Data[:at]), f.Data[to:]...)
	before := 0 // number of holes before at; only the run's own outputs have any
	for before < len(f.Holes) && f.Holes[before].At < at {
		before++
	}
	f.Holes = slices.Insert(f.Holes, before, Reference{At: at, Frame: f.Seq - 1, Nodes: true})
}

// Nodes returns a frame whose outputs are the nodes in a result, for a hole that
// [Frame.LeaveNodes] made after frame seq. Outputs of nodes are in other frames: see
// [ToldBefore].
func (c *Encoder) Nodes(seq int, result *engine.Result) Frame {
	e := engine.Event{Name: engine.EventCompleted, Seq: seq, Result: &engine.Result{Nodes: result.Nodes, Order: result.Order}}
	f, _ := c.Frame(&e)
	f.Outputs = Span{bytes.Index(f.Data, []byte(nodesBegin)) + len(nodesBegin), len(f.Data) - len("}}")}
	return f
}
