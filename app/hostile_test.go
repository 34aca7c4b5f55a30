package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store/runlog"
)

// wide is a workflow that passes one large text to the given number of nodes, and then waits.
func wide(nodes, bytes int) []byte {
	var all, wires strings.Builder
	for i := range nodes {
		fmt.Fprintf(&all, `{"id":"n%d","type":"control.value"},`, i)
		fmt.Fprintf(&wires, `{"fromNodeId":"big","fromPort":"value","toNodeId":"n%d","toPort":"value"},{"fromNodeId":"n%d","fromPort":"$done","toNodeId":"wait","toPort":"$after"},`, i, i)
	}
	return fmt.Appendf(nil, `{"id":"wide","nodes":[{"id":"big","type":"control.value","config":{"value":%q}},%s{"id":"wait","type":"test.count","config":{"label":"wait"}}],
		"connections":[%s]}`, strings.Repeat("x", bytes), all.String(), strings.TrimSuffix(wires.String(), ","))
}

// byteCount counts what is written to it.
type byteCount struct{ bytes int }

func (c *byteCount) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

// peak returns by how much the heap grew at most while f ran, as seen by its collector.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return max(after.HeapSys, before.HeapSys) - before.HeapSys
}

// A large value that went through many nodes costs its size once: in the log, at the
// start that finds the run unfinished, and in the answer about it.
func TestLargeValueThroughManyNodes(t *testing.T) {
	const size = 1 << 20
	nodes := 300
	if os.Getenv("SVC_TEST_HOSTILE") != "" {
		nodes = 1500
	}
	dir, c := t.TempDir(), newCounter()
	c.set(c.waiting, "wait")
	var runs *runlog.Store
	open := func() *App {
		var err error
		runs, err = runlog.Open(dir, runlog.Options{})
		require.NoError(t, err)
		return newTestApp(t, Config{Runs: runs, ExtraPlugins: []node.Plugin{c}})
	}
	a := open()
	id, err := a.StartJSON(t.Context(), wide(nodes, size), run.Request{})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return c.count("wait") == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, runs.Close()) // all that a dying process leaves is what is there
	dead := a
	info, err := os.Stat(filepath.Join(dir, "log-00000001"))
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(4*size), "the workflow, its value, and what refers to it")

	grown := peak(func() {
		a = open()
		require.NoError(t, a.Recover(t.Context()))
	})
	require.Less(t, grown, uint64(64<<20))
	record, err := a.Run(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, node.CodeInterrupted, record.Result.Error.Code)
	require.Len(t, record.Result.Nodes["n7"].Outputs["value"], size)

	var shown bytes.Buffer
	grown = peak(func() { require.NoError(t, a.WriteResult(t.Context(), &shown, id, false)) })
	require.Less(t, grown, uint64(32<<20))
	require.True(t, json.Valid(shown.Bytes()))
	require.Less(t, shown.Len(), nodes*1000)
	require.Contains(t, shown.String(), fmt.Sprintf(`{"$elided":{"bytes":%d}}`, size+2))
	var whole byteCount
	grown = peak(func() { require.NoError(t, a.WriteResult(t.Context(), &whole, id, true)) })
	require.Greater(t, whole.bytes, nodes*size)
	require.Less(t, grown, uint64(64<<20), "one value at a time")

	f, err := a.Follow(t.Context(), id, 0)
	require.NoError(t, err)
	for err == nil {
		var frames []run.Frame
		frames, err = f.Next(t.Context())
		for _, frame := range frames {
			require.Less(t, len(frame.Data), nodes*1000)
		}
	}
	require.ErrorIs(t, err, io.EOF)
	require.NoError(t, a.Close(t.Context()))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, dead.Close(gone))
}
