package app

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/app/runs"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/memstore"
	"github.com/svcflow/svc/store/runlog"
)

// chain is a workflow of n inline nodes, each behind the one before.
func chain(n int) []byte {
	var nodes, wires strings.Builder
	nodes.WriteString(`{"id":"n0","type":"text.format","config":{"template":"x"}},`)
	for i := range n - 1 {
		fmt.Fprintf(&nodes, `{"id":"n%d","type":"text.format","config":{"template":"{text}"}},`, i+1)
		fmt.Fprintf(&wires, `{"fromNodeId":"n%d","fromPort":"result","toNodeId":"n%d","toPort":"text"},`, i, i+1)
	}
	return fmt.Appendf(nil, `{"id":"chain","nodes":[%s],"connections":[%s]}`,
		strings.TrimSuffix(nodes.String(), ","), strings.TrimSuffix(wires.String(), ","))
}

// BenchmarkAsync runs a chain of 1,000 inline nodes asynchronously.
func BenchmarkAsync(b *testing.B) {
	files, err := runlog.Open(b.TempDir(), runlog.Options{Keep: store.Retention{Runs: 100}})
	require.NoError(b, err)
	for name, runs := range map[string]store.RunStore{"memory": &memstore.Runs{Retention: store.Retention{Runs: 100}}, "files": files} {
		b.Run(name, func(b *testing.B) {
			a, err := New(Config{Runs: runs})
			require.NoError(b, err)
			text := chain(1000)
			b.ReportAllocs()
			for b.Loop() {
				id, err := a.StartJSON(b.Context(), text, run.Request{})
				require.NoError(b, err)
				f, err := a.Follow(b.Context(), id, 1000)
				require.NoError(b, err)
				drain(f)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/node")
			require.NoError(b, a.Close(context.Background()))
		})
	}
}

// BenchmarkFollowers runs a chain of 1,000 inline nodes with n followers that read every frame.
func BenchmarkFollowers(b *testing.B) {
	for _, n := range []int{0, 1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a, err := New(Config{})
			require.NoError(b, err)
			text := chain(1000)
			for b.Loop() {
				id, err := a.StartJSON(b.Context(), text, run.Request{})
				require.NoError(b, err)
				var group sync.WaitGroup
				for range n {
					f, err := a.Follow(b.Context(), id, 0)
					require.NoError(b, err)
					group.Go(func() { drain(f) })
				}
				f, err := a.Follow(b.Context(), id, 1000)
				require.NoError(b, err)
				drain(f)
				group.Wait()
			}
			b.ReportMetric(1002*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

func drain(f runs.Follower) {
	for {
		if _, err := f.Next(context.Background()); err != nil {
			return
		}
	}
}
