package app

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/limit"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/filestore"
	"github.com/svcflow/svc/store/runlog"
)

// BenchmarkKeep runs a stored workflow of one node, or of a hundred in a chain, and prints its
// answer, with and without a record of it; the difference is what recording takes of a processor.
func BenchmarkKeep(b *testing.B) {
	for _, nodes := range []int{1, 100} {
		for _, record := range []Recording{RecordNone, RecordStored} {
			b.Run(fmt.Sprintf("%d/%q", nodes, record), func(b *testing.B) { benchKeep(b, nodes, record) })
		}
	}
}

func benchKeep(b *testing.B, nodes int, record Recording) {
	runs, err := runlog.Open(b.TempDir(), runlog.Options{Keep: store.DefaultRetention()})
	require.NoError(b, err)
	a, err := New(Config{Runs: runs, Record: record, Store: filestore.Open(b.TempDir())})
	require.NoError(b, err)
	def := &workflow.Definition{ID: "w1", Nodes: []workflow.Node{{ID: "t0", Type: "text.transform", Config: map[string]any{"mode": "upper", "text": "hello"}}}}
	for n := 1; n < nodes; n++ {
		def.Nodes = append(def.Nodes, workflow.Node{ID: fmt.Sprintf("t%d", n), Type: "text.transform", Config: map[string]any{"mode": "upper"}})
		def.Connections = append(def.Connections, workflow.Connection{
			FromNodeID: fmt.Sprintf("t%d", n-1), FromPort: "text", ToNodeID: fmt.Sprintf("t%d", n), ToPort: "text",
		})
	}
	_, err = a.Save(b.Context(), def, workflow.Condition{})
	require.NoError(b, err)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		var out []byte
		for pb.Next() {
			ended, err := a.ExecuteStored(b.Context(), "w1", run.Request{})
			if err != nil {
				b.Error(err)
				return
			}
			out = ended.AppendJSON(out[:0], limit.Shown)
		}
	})
	b.ReportMetric(float64(a.Stats().Dropped)/float64(b.N), "dropped/op")
	require.NoError(b, a.Close(context.Background()))
}
