package cluster

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/store"
)

// pulseEvery is how often a process looks how its servers are.
const pulseEvery = 5 * time.Second

// counts is what a process has done since its start.
type counts struct {
	first, again atomic.Int64 // runs that were taken by their first driver, and by a later one
	parked       atomic.Int64
	lost         atomic.Int64 // calls of nodes that were under way when a driver died
	commits      atomic.Int64 // of frames
	refused      atomic.Int64 // commits that were not made, as the store was away or the run somebody else's
}

// pulse is how the servers are, and how long runs wait for a driver.
type pulse struct {
	mu               sync.Mutex
	temporal, shared serverPulse
	oldest           time.Duration
}

// serverPulse is how one server is.
type serverPulse struct {
	up   bool
	took time.Duration
}

// feel looks how the servers are, until Close.
func (r *Runs) feel(temporal client.Client) {
	ctx, cancel := r.life()
	defer cancel()
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	for {
		t := timed(ctx, func(ctx context.Context) error {
			_, err := temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
			return err
		})
		s := timed(ctx, r.shared.Check)
		oldest := oldestWaiting(ctx, r.shared)
		r.pulse.mu.Lock()
		r.pulse.temporal, r.pulse.shared, r.pulse.oldest = t, s, oldest
		r.pulse.mu.Unlock()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// timed asks a server, which has as long as until the next time.
func timed(ctx context.Context, ask func(ctx context.Context) error) serverPulse {
	ctx, cancel := context.WithTimeout(ctx, pulseEvery)
	defer cancel()
	began := time.Now()
	err := ask(ctx)
	return serverPulse{err == nil, time.Since(began)}
}

// oldestWaiting returns for how long the oldest run has been going on that nobody drives; 0 if
// there is none, or nobody knows.
func oldestWaiting(ctx context.Context, shared store.SharedRuns) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, pulseEvery)
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

// Figures tells what this process does in the cluster, and how its servers are.
func (r *Runs) Figures() []node.Figure {
	r.pulse.mu.Lock()
	temporal, shared, oldest := r.pulse.temporal, r.pulse.shared, r.pulse.oldest
	r.pulse.mu.Unlock()
	c := &r.holder.counts
	const takes, server, commits = "svc_cluster_takes_total", "server", "svc_cluster_commits_total"
	const takesHelp = "Runs that this process began to drive: first, or again, behind another driver that has handed over, parked, or died."
	const upHelp, tookHelp = "1 if the server answers.", "Time of a small question to the server, asked every five seconds."
	figure := func(name, help, label, is string, v float64) node.Figure {
		return node.Figure{Name: name, Help: help, Label: label, Is: is, Value: v}
	}
	all := []node.Figure{
		figure("svc_cluster_runs_driven", "Runs that this process drives.", "", "", float64(r.holder.holding())),
		figure(takes, takesHelp, "time", "first", float64(c.first.Load())),
		figure(takes, takesHelp, "time", "again", float64(c.again.Load())),
		figure("svc_cluster_parked_total", "Runs that this process has given up while they only wait.", "", "", float64(c.parked.Load())),
		figure("svc_cluster_lost_attempts_total", "Calls of nodes that were under way when their driver died, of runs that this process took over.", "", "", float64(c.lost.Load())),
		figure(commits, "Commits of journals: made, or refused as the database was away or the run had another driver.", "outcome", "made", float64(c.commits.Load())),
		figure(commits, "Commits of journals: made, or refused as the database was away or the run had another driver.", "outcome", "refused", float64(c.refused.Load())),
		figure("svc_cluster_oldest_waiting_seconds", "For how long the oldest run has been going on that nobody drives now, of the whole cluster.", "", "", oldest.Seconds()),
		figure("svc_cluster_server_up", upHelp, server, "temporal", up(temporal)),
		figure("svc_cluster_server_up", upHelp, server, "postgres", up(shared)),
		figure("svc_cluster_server_seconds", tookHelp, server, "temporal", temporal.took.Seconds()),
		figure("svc_cluster_server_seconds", tookHelp, server, "postgres", shared.took.Seconds()),
	}
	all = append(all, r.calls.led.figures("svc_cluster_calls_total", "Calls of nodes that runs which are driven here left to a queue.")...)
	if r.answer != nil {
		all = append(all, r.answer.answers.made.figures("svc_cluster_answers_total", "Calls of a queue that this process made for others.")...)
	}
	return all
}

func up(s serverPulse) float64 {
	if s.up {
		return 1
	}
	return 0
}

// life returns a context that ends with Close.
func (r *Runs) life() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	r.tended.Go(func() {
		select {
		case <-r.ending:
			cancel()
		case <-ctx.Done():
		}
	})
	return ctx, cancel
}
