package bench

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/svcflow/svc/engine/run"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/runlog"
)

// benchStarts measures how many starts an instance acknowledges while Temporal is down. It compares
// them with complete runs of the same workflow in svc serve, and with starts recorded directly in
// the store.
func benchStarts(r *rig) {
	def := chain("pure", false)
	c, one := r.instance("--max-runs", "100000").holds(def), r.single().holds(def)
	files, err := runlog.Open(filepath.Join(r.dir, "files"), runlog.Options{Log: slog.New(slog.DiscardHandler)})
	require.NoError(r.b, err)
	defer func() { require.NoError(r.b, files.Close()) }()
	document := run.NewDocument(def, nil)
	r.temporal.kill()
	told := inTurn(r.b, many, side{"acknowledged", func(ctx context.Context) error {
		_, err := c.StartStored(ctx, "pure", run.Request{})
		return err
	}}, side{"svc", atMost(places, runOf(one, "pure"))}, side{"files", func(ctx context.Context) error {
		id, err := uuid.NewV7()
		if err != nil {
			return err
		}
		_, err = files.Create(ctx, run.Start{RunID: id.String(), StartedAt: time.Now(), Definition: def, Document: document})
		return err
	}})
	told.against("acknowledged", "svc")
	told.against("acknowledged", "files")
	r.changesOf(1000, run.Start{Definition: def, Document: document})
}

// changesOf measures how long it takes to query the progress of n runs.
func (r *rig) changesOf(n int, start run.Start) {
	r.b.Helper()
	const times = 100
	runs := r.runs()
	var ids []string
	for range n {
		id, err := uuid.NewV7()
		require.NoError(r.b, err)
		start.RunID, start.StartedAt = id.String(), time.Now()
		require.NoError(r.b, runs.Begin(r.b.Context(), start, store.SharedLimits{}))
		ids = append(ids, start.RunID)
	}
	var took []time.Duration
	for range times {
		began := time.Now()
		r.changes(runs, ids)
		took = append(took, time.Since(began))
	}
	report(r.b, "changes", map[string]float64{"p50-ms": ms(percentile(took, 50)), "p95-ms": ms(percentile(took, 95))})
}

// benchPlaced measures a hundred placed nodes at once.
func benchPlaced(r *rig) {
	def := delays("fan", fanned, 0)
	def.Connections = nil
	c := r.instance().holds(def)
	r.worker("--place", "control.delay=fan")
	r.worker("--runs", "0", "--answer", "fan")
	r.floor()
	inTurn(r.b, 1, side{"placed", runOf(c, "fan")}, side{"fan", r.empty(emptyFan)}).against("placed", "fan")
}

// benchStart measures the start time and memory of idle processes.
func benchStart(r *rig) {
	const settled = 3 * time.Second
	var instances, workers, ready []float64
	for range 5 {
		began := time.Now()
		instance := r.instance()
		ready = append(ready, ms(time.Since(began)))
		worker := r.worker()
		<-time.After(settled)
		instances, workers = append(instances, instance.resident()), append(workers, worker.resident())
		instance.kill()
		worker.kill()
	}
	report(r.b, "instance", map[string]float64{"ready-ms": percentile(ready, 50), "idle-MB": percentile(instances, 50)})
	report(r.b, "worker", map[string]float64{"idle-MB": percentile(workers, 50)})
	report(r.b, "size", map[string]float64{"MB": r.size("svc-cluster"), "more-MB": r.size("svc-cluster") - r.size("svc")})
	r.again()
}

// size returns the size of a program in MB.
func (r *rig) size(program string) float64 {
	r.b.Helper()
	info, err := os.Stat(filepath.Join(r.bin, program))
	require.NoError(r.b, err)
	return float64(info.Size()) / (1 << 20)
}

// again measures how long the cluster in one process takes to restart.
func (r *rig) again() {
	r.b.Helper()
	var took []float64
	for i := range 4 {
		began := time.Now()
		p := r.start("dev", "--dir", filepath.Join(r.dir, "whole"), "--addr", "127.0.0.1:0", "--temporal-port", "0", "--postgres-port", "0")
		p.said("listening on ")
		p.said(": working")
		if i > 0 {
			took = append(took, ms(time.Since(began)))
		}
		require.NoError(r.b, p.Process.Signal(syscall.SIGTERM))
		require.NoError(r.b, p.Wait())
	}
	report(r.b, "dev_again", map[string]float64{"ready-ms": percentile(took, 50)})
}
