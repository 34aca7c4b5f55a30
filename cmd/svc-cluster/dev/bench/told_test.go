package bench

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine"
	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/httpapi/client"
	"github.com/svcflow/svc/store"
)

// delays returns a workflow of nodes in a row that wait.
func delays(id string, n int, each time.Duration) *workflow.Definition {
	def := &workflow.Definition{ID: id, Name: id}
	for i := range n {
		name := fmt.Sprint("n", i)
		def.Nodes = append(def.Nodes, workflow.Node{ID: name, Type: "control.delay", Config: map[string]any{"ms": int(each / time.Millisecond)}})
		if i > 0 {
			def.Connections = append(def.Connections, workflow.Connection{FromNodeID: fmt.Sprint("n", i-1), FromPort: "value", ToNodeID: name, ToPort: "value"})
		}
	}
	def.Nodes[0].Config["value"] = "x"
	return def
}

// begin starts a run of a stored workflow.
func begin(b *testing.B, c *client.Client, workflowID string) (runID string) {
	b.Helper()
	runID, err := c.StartStored(b.Context(), workflowID, run.Request{})
	require.NoError(b, err)
	return runID
}

// benchTold measures following and cancelling runs at an instance that neither started nor drives
// them.
func benchTold(r *rig) {
	one := r.instance().holds(delays("steps", 40, 50*time.Millisecond), delays("hour", 1, time.Hour), delays("slow", 40, 500*time.Millisecond))
	told := r.instance("--max-connections", "4000", "--max-per-address", "4000")
	r.worker()
	r.follow(one, told.at())
	r.cancel(one, told.at())
	r.crowd(one, told)
}

// follow measures the delay between an event and its arrival at a follower.
func (r *rig) follow(one, told *client.Client) {
	r.b.Helper()
	var took []time.Duration
	for range 5 {
		for e, err := range told.Events(r.b.Context(), begin(r.b, one, "steps"), 0) {
			require.NoError(r.b, err)
			if e.NodeID != "" { // the stream is open
				took = append(took, time.Since(e.Time))
			}
		}
	}
	report(r.b, "event_to_follower", map[string]float64{"p50-ms": ms(percentile(took, 50)), "p95-ms": ms(percentile(took, 95))})
}

// cancel measures the time from a cancel to the last frame.
func (r *rig) cancel(one, told *client.Client) {
	r.b.Helper()
	var took []time.Duration
	for range 20 {
		id, asked := begin(r.b, one, "hour"), time.Time{}
		for e, err := range told.Events(r.b.Context(), id, 0) {
			require.NoError(r.b, err)
			if e.NodeID != "" && asked.IsZero() {
				asked = time.Now()
				require.NoError(r.b, told.Cancel(r.b.Context(), id))
			}
		}
		took = append(took, time.Since(asked))
	}
	report(r.b, "cancel", map[string]float64{"p50-ms": ms(percentile(took, 50)), "p95-ms": ms(percentile(took, 95))})
}

// crowd measures what an instance needs for many followers of one run.
func (r *rig) crowd(one *client.Client, told *process) {
	r.b.Helper()
	const followers = 1000
	id := begin(r.b, one, "slow")
	before, read := told.resident(), r.framesRead()
	var seen, most sync.WaitGroup // the first and the last event have arrived
	ctx, cancel := context.WithTimeout(r.b.Context(), 2*patience)
	defer cancel()
	for range followers {
		seen.Add(1)
		most.Go(func() {
			began := sync.OnceFunc(seen.Done)
			defer began()
			for e, err := range told.at().Events(ctx, id, 0) {
				began()
				if err != nil || e.Name.Terminal() && e.Name != engine.EventCompleted {
					r.b.Error(e.Name, err)
					return
				}
			}
		})
	}
	seen.Wait()
	figures := map[string]float64{"kB-each": (told.resident() - before) * 1024 / followers}
	most.Wait()
	change, err := r.runs().Changes(r.b.Context(), []string{id})
	require.NoError(r.b, err)
	figures["reads-each"] = r.framesRead(read) / float64(change[0].Frames)
	report(r.b, "crowd", figures)
}

// framesRead returns how many rows of frames PostgreSQL has read, minus an earlier value.
func (r *rig) framesRead(before ...float64) (n float64) {
	r.b.Helper()
	<-time.After(2 * time.Second) // connections report their statistics once a second
	c, err := pgx.Connect(r.b.Context(), r.database)
	require.NoError(r.b, err)
	defer c.Close(context.Background()) //nolint:errcheck // only read
	const query = `select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::float from pg_stat_user_tables where relname like 'svc_frames%'`
	require.NoError(r.b, c.QueryRow(r.b.Context(), query).Scan(&n))
	for _, old := range before {
		n -= old
	}
	return n
}

// resident returns the resident memory of a process in MB.
func (p *process) resident() float64 {
	p.b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		p.b.Skip("only Linux tells what a process has of memory")
	}
	_, after, _ := strings.Cut(string(text), "VmRSS:")
	kB, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
	require.NoError(p.b, err)
	return kB / 1024
}

// changes returns the progress of runs.
func (r *rig) changes(runs store.SharedRuns, ids []string) []store.Change {
	r.b.Helper()
	all, err := runs.Changes(r.b.Context(), ids)
	require.NoError(r.b, err)
	require.Len(r.b, all, len(ids))
	return all
}
