package member

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/svcflow/svc/app/cluster"
	"github.com/svcflow/svc/store/postgres"
)

// Finding is one result of a check.
type Finding struct {
	About string `json:"about"`
	OK    bool   `json:"ok"`
	// Warns says that the problem does no harm yet; Says names the condition.
	Warns bool   `json:"warns,omitempty"`
	Says  string `json:"says"`
}

// finding returns a Finding without a warning.
func finding(about string, ok bool, says string) Finding {
	return Finding{About: about, OK: ok, Says: says}
}

// Requirements of the servers.
const (
	clocksApart  = 2 * time.Second
	oldestServer = "1.31"
	longestKept  = 72 * time.Hour // longest useful retention; histories only fill Temporal's tables
)

// outlook is the state of the servers.
type outlook struct {
	*Servers

	database   postgres.Outlook
	temporal   cluster.TemporalInfo
	apart      time.Duration // how far the database's clock is ahead of this machine's
	noDatabase error
	noTemporal error
}

// Check checks a cluster from outside: its servers and its processes.
func (s *Servers) Check(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	o := &outlook{Servers: s}
	var looking sync.WaitGroup
	looking.Go(func() { o.noDatabase = o.lookAtDatabase(ctx) })
	looking.Go(func() {
		o.temporal, o.noTemporal = cluster.Inspect(ctx, cluster.Connection{Address: s.Temporal, Namespace: s.Namespace, Log: slog.New(slog.DiscardHandler)})
	})
	looking.Wait()
	return slices.Concat(o.ofDatabase(), o.ofTemporal(), o.ofWorkers(), fits(matesOf(o.database.Members), sorted(o.database.Place)))
}

func (o *outlook) lookAtDatabase(ctx context.Context) error {
	kept, err := OpenDatabase(ctx, o.Postgres)
	if err != nil {
		return err
	}
	defer kept.Close()
	before := time.Now()
	o.database, err = kept.Outlook(ctx)
	half := time.Since(before) / 2
	o.apart = o.database.Clock.Sub(before.Add(half))
	return err
}

func (o *outlook) ofDatabase() []Finding {
	const about = "database"
	if o.noDatabase != nil {
		return []Finding{finding(about, false, o.noDatabase.Error())}
	}
	d := &o.database
	found := []Finding{finding(about, true, "PostgreSQL "+d.Server+", with the tables of this version")}
	switch d.Cluster {
	case o.Cluster:
		found = append(found, finding("cluster", true, d.Cluster))
	case "":
		found = append(found, finding("cluster", true, "the database is nobody's yet; the first process takes it"))
	default:
		found = append(found, finding("cluster", false, fmt.Sprintf("--cluster: the database belongs to %q and not to %q; name the right one, or another --postgres", d.Cluster, o.Cluster)))
	}
	clock := finding("clock", o.apart.Abs() <= clocksApart, fmt.Sprintf("%s apart from the database", o.apart.Abs().Round(time.Millisecond)))
	if !clock.OK {
		clock.Says += "; let NTP set the clocks of all machines"
	}
	return append(found, clock)
}

func (o *outlook) ofTemporal() []Finding {
	t := &o.temporal
	if o.noTemporal != nil {
		return []Finding{finding("temporal", false, notDialled(o.noTemporal).Error())}
	}
	server := finding("temporal", !older(t.Server, oldestServer), t.Server+" at "+t.Address)
	if !server.OK {
		server.Says += "; it has to be " + oldestServer + " or newer"
	}
	kept := finding("namespace", t.Retention <= longestKept, fmt.Sprintf("%s, keeps histories for %s", t.Namespace, t.Retention))
	if !kept.OK {
		kept.Says += "; nothing needs them after a day, and they fill Temporal's tables: set its retention to 24h"
	}
	return append([]Finding{server, kept}, o.ofNamespace()...)
}

// ofNamespace checks which cluster owns the Temporal namespace.
func (o *outlook) ofNamespace() []Finding {
	is := o.temporal.Claim
	switch mine := (cluster.Claim{Cluster: o.database.Cluster, Database: o.database.ID}); {
	case o.noDatabase != nil, is == cluster.Claim{}, is == mine:
		return nil
	case is.Cluster == mine.Cluster:
		return []Finding{finding("namespace", false, fmt.Sprintf("--namespace: it belongs to a cluster %q with another database; name another one, or the right --postgres", is.Cluster))}
	default:
		return []Finding{finding("namespace", false, fmt.Sprintf("--namespace: it belongs to the cluster %q; name another one", is.Cluster))}
	}
}

// ofWorkers checks that there are workers: processes that poll Temporal and have a lease in the
// database.
func (o *outlook) ofWorkers() []Finding {
	if o.noDatabase != nil || o.noTemporal != nil {
		return nil
	}
	workers, d := 0, &o.database
	for _, identity := range o.temporal.Workers {
		name, _, _ := strings.Cut(identity, " ")
		if slices.ContainsFunc(d.Members, func(m postgres.Member) bool { return m.Name == name }) {
			workers++
		}
	}
	working := finding("workers", workers > 0, fmt.Sprintf("%d of %d processes drive runs; %d runs go on", workers, len(d.Members), d.Unfinished))
	if !working.OK {
		working.Says = fmt.Sprintf("nobody drives runs, and %d wait; start svc-cluster worker", d.Undriven)
	}
	return []Finding{working}
}

// older reports whether a version is before another one, by its first two numbers.
func older(version, than string) bool {
	have, want := strings.SplitN(version, ".", 3), strings.SplitN(than, ".", 3)
	for i := range 2 {
		if i >= len(have) {
			return true
		}
		h, errHave := strconv.Atoi(have[i])
		w, errWant := strconv.Atoi(want[i])
		if errHave != nil || errWant != nil || h != w {
			return errHave == nil && errWant == nil && h < w
		}
	}
	return false
}
