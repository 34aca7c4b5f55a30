package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
)

// healthEvery is how often a process checks its servers.
const healthEvery = 5 * time.Second

// holderCounts counts what a process has done since its start.
type holderCounts struct {
	first, again atomic.Int64 // runs taken as their first driver, and as a later one
	parked       atomic.Int64
	lost         atomic.Int64 // node calls that were running when a driver died
	commits      atomic.Int64 // appends of frames
	refused      atomic.Int64 // failed appends: the database was away, or the run had another driver
}

// health is the state of the servers, and how long runs wait for a driver.
type health struct {
	mu               sync.Mutex
	temporal, shared serverHealth
	oldest           time.Duration
}

// serverHealth is the state of one server.
type serverHealth struct {
	up   bool
	took time.Duration
}

// checkHealth checks the servers until Close.
func (r *Runs) checkHealth(temporal client.Client) {
	ctx, cancel := r.untilClose()
	defer cancel()
	tick := time.NewTicker(healthEvery)
	defer tick.Stop()
	for {
		t := probe(ctx, func(ctx context.Context) error {
			_, err := temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
			return err
		})
		s := probe(ctx, r.shared.Check)
		oldest := oldestWaiting(ctx, r.shared)
		r.health.mu.Lock()
		r.health.temporal, r.health.shared, r.health.oldest = t, s, oldest
		r.health.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probe times a request. It may take until the next check.
func probe(ctx context.Context, ask func(ctx context.Context) error) serverHealth {
	ctx, cancel := context.WithTimeout(ctx, healthEvery)
	defer cancel()
	began := time.Now()
	err := ask(ctx)
	return serverHealth{err == nil, time.Since(began)}
}

// oldestWaiting returns the age of the oldest run without a driver; 0 if there is none, or it is
// not known.
func oldestWaiting(ctx context.Context, shared store.SharedRuns) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, healthEvery)
	defer cancel()
	ids, err := shared.Unfinished(ctx, 1)
	if err != nil || len(ids) == 0 {
		return 0
	}
	id, err := uuid.Parse(ids[0])
	if err != nil {
		return 0
	}
	return max(time.Since(time.Unix(id.Time().UnixTime())), 0) // version 7 begins with the time
}

// Figures returns the metrics of this process and its servers.
func (r *Runs) Figures() []node.Figure {
	r.health.mu.Lock()
	temporal, shared, oldest := r.health.temporal, r.health.shared, r.health.oldest
	r.health.mu.Unlock()
	c := &r.holder.holderCounts
	const takes, server, commits = "svc_cluster_takes_total", "server", "svc_cluster_commits_total"
	const takesHelp = "Runs that this process took: as the first driver, or again after another driver handed the run off, parked it, or died."
	const upHelp, tookHelp = "1 if the server answered the last health check, else 0.", "Duration of the last health check of the server, which runs every five seconds."
	figure := func(name, help, label, is string, v float64) node.Figure {
		return node.Figure{Name: name, Help: help, Label: label, Is: is, Value: v}
	}
	all := []node.Figure{
		figure("svc_cluster_runs_driven", "Runs that this process drives now.", "", "", float64(r.holder.holding())),
		figure(takes, takesHelp, "time", "first", float64(c.first.Load())),
		figure(takes, takesHelp, "time", "again", float64(c.again.Load())),
		figure("svc_cluster_parked_total", "Runs that this process parked because they only waited.", "", "", float64(c.parked.Load())),
		figure("svc_cluster_lost_attempts_total", "Node calls that were running when the driver died, in runs that this process took over.", "", "", float64(c.lost.Load())),
		figure(commits, "Appends to journals: made, or refused because the database was unavailable or the run had another driver.", "outcome", "made", float64(c.commits.Load())),
		figure(commits, "Appends to journals: made, or refused because the database was unavailable or the run had another driver.", "outcome", "refused", float64(c.refused.Load())),
		figure("svc_cluster_oldest_waiting_seconds", "Age of the oldest run of the cluster that has no driver now.", "", "", oldest.Seconds()),
		figure("svc_cluster_server_up", upHelp, server, "temporal", up(temporal)),
		figure("svc_cluster_server_up", upHelp, server, "postgres", up(shared)),
		figure("svc_cluster_server_seconds", tookHelp, server, "temporal", temporal.took.Seconds()),
		figure("svc_cluster_server_seconds", tookHelp, server, "postgres", shared.took.Seconds()),
	}
	all = append(all, r.calls.placedCount.metrics("svc_cluster_calls_total", "Node calls that this process placed on a queue.")...)
	if r.answer != nil {
		all = append(all, r.answer.answers.made.metrics("svc_cluster_answers_total", "Node calls of a queue that this process answered.")...)
	}
	return all
}

func up(s serverHealth) float64 {
	if s.up {
		return 1
	}
	return 0
}

// untilClose returns a context that ends with Close.
func (r *Runs) untilClose() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	r.background.Go(func() {
		select {
		case <-r.closing:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, cancel
}

// queueCounter counts by queue. The zero value is ready to use.
type queueCounter struct {
	mu      sync.Mutex
	byQueue map[string]int64
}

// add adds n to a queue; 0 makes the queue appear.
func (t *queueCounter) add(queue string, n int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byQueue == nil {
		t.byQueue = map[string]int64{}
	}
	t.byQueue[queue] += n
}

// metrics returns the counts as metrics.
func (t *queueCounter) metrics(name, help string) (all []node.Figure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, queue := range slices.Sorted(maps.Keys(t.byQueue)) {
		all = append(all, node.Figure{Name: name, Help: help, Label: "queue", Is: queue, Value: float64(t.byQueue[queue])})
	}
	return all
}
