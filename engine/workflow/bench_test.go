package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/workflow"
)

// chain returns a workflow of n nodes in a row.
func chain(n int) *workflow.Definition {
	d := &workflow.Definition{ID: "chain", Name: "Chain"}
	for i := range n {
		id := fmt.Sprintf("t%d", i)
		d.Nodes = append(d.Nodes, workflow.Node{ID: id, Type: "text.format", Config: map[string]any{"template": "{text}."}})
		if i > 0 {
			d.Connections = append(d.Connections, workflow.Connection{
				FromNodeID: fmt.Sprintf("t%d", i-1), FromPort: "result", ToNodeID: id, ToPort: "text",
			})
		}
	}
	return d
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{3, 100, 10_000} {
		text := chain(n).AppendJSON(nil)
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := workflow.Decode(text, workflow.Limits{})
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	d := chain(100)
	b.ReportAllocs()
	var dst []byte
	for b.Loop() {
		dst = d.AppendJSON(dst[:0])
	}
}

func BenchmarkDigest(b *testing.B) {
	d := chain(100)
	b.ReportAllocs()
	for b.Loop() {
		d.Digest()
	}
}
