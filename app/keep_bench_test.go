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
)

// BenchmarkKeep runs a stored workflow of one node and prints its answer, with and without
// a record of it; the difference is what recording takes of a processor.
func BenchmarkKeep(b *testing.B) {
	for _, record := range []Recording{RecordNone, RecordStored} {
		b.Run(fmt.Sprintf("%q", record), func(b *testing.B) {
			runs, err := store.FileRuns(b.TempDir(), store.RunOptions{Keep: store.DefaultRetention()})
			require.NoError(b, err)
			a, err := New(Config{Runs: runs, Record: record, Store: store.File(b.TempDir())})
			require.NoError(b, err)
			def, err := workflow.Decode([]byte(`{"id":"w1","nodes":[{"id":"up","type":"text.transform","config":{"mode":"upper","text":"hello"}}],"connections":[]}`), a.Limits())
			require.NoError(b, err)
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
		})
	}
}
