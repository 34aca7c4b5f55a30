package bench

import (
	"fmt"
	"testing"

	"github.com/svcflow/svc/engine/workflow"
)

// Workflows of the benchmarks have nodes nodes in a row, or fanned nodes in parallel.
const (
	nodes  = 10
	fanned = 100
)

// places is about the number of concurrent runs of svc serve.
const places = 8

// many is the number of clients in benchmarks with many clients.
const many = 32

// BenchmarkCluster measures a cluster. Run it once: -benchtime 1x.
func BenchmarkCluster(b *testing.B) {
	bin := build(b)
	for _, m := range []struct {
		name  string
		bench func(r *rig)
	}{
		{"Apart", benchApart},
		{"Together", benchTogether},
		{"Told", benchTold},
		{"Moved", benchMoved},
		{"Starts", benchStarts},
		{"Placed", benchPlaced},
		{"Start", benchStart},
	} {
		b.Run(m.name, func(b *testing.B) { m.bench(newRig(b, bin)) })
	}
}

// chain returns a workflow of nodes in a row that only compute. If mixed, one node may do more, so
// that an activity must drive its runs.
func chain(id string, mixed bool) *workflow.Definition {
	def := &workflow.Definition{ID: id, Name: id}
	for i := range nodes {
		name := fmt.Sprint("n", i)
		n := workflow.Node{ID: name, Type: "text.format", Config: map[string]any{"template": "{text}.", "text": "x"}}
		in, out := "text", "result"
		if mixed && i == nodes-1 {
			n.Type, n.Config, in = "control.delay", map[string]any{"ms": 0}, "value"
		}
		if i > 0 {
			delete(n.Config, "text")
			def.Connections = append(def.Connections, workflow.Connection{FromNodeID: fmt.Sprint("n", i-1), FromPort: out, ToNodeID: name, ToPort: in})
		}
		def.Nodes = append(def.Nodes, n)
	}
	return def
}

// benchApart measures an instance that starts and shows runs, and a worker that drives them.
func benchApart(r *rig) {
	pure, mixed := chain("pure", false), chain("mixed", true)
	c, one := r.instance().holds(pure, mixed), r.single().holds(pure)
	r.worker()
	r.floor()
	sides := []side{
		{"pure", runOf(c, "pure")},
		{"mixed", runOf(c, "mixed")},
		{"floor", r.empty(emptyLocal)},
		{"floor-activity", r.empty(emptyOne)},
		{"each", r.empty(emptyEach)},
		{"svc", atMost(places, runOf(one, "pure"))},
	}
	for _, clients := range []int{1, many} {
		told := inTurn(r.b, clients, sides...)
		told.against("pure", "floor")
		told.against("pure", "each")
		told.against("pure", "svc")
		told.against("mixed", "floor-activity")
	}
}

// benchTogether measures one process that does both. Temporal hands it the runs that it starts
// directly.
func benchTogether(r *rig) {
	pure := chain("pure", false)
	c := r.instance("--runs", "100").holds(pure)
	r.floor()
	sides := []side{{"pure", runOf(c, "pure")}, {"floor", r.empty(emptyLocal)}, {"each", r.empty(emptyEach)}}
	for _, clients := range []int{1, many} {
		told := inTurn(r.b, clients, sides...)
		told.against("pure", "floor")
		told.against("pure", "each")
	}
}
