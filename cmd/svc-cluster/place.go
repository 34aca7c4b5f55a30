package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
)

type placeCmd struct {
	Rules    []string `arg:"" optional:"" name:"type=queue" help:"Rules that replace the stored ones, such as media.*=gpu, or none. Without rules, the command prints the stored ones."`
	Postgres string   `variable:"SVC_POSTGRES" placeholder:"URL" help:"PostgreSQL database of the cluster, such as postgres://svc@db.example.com/svc."`
	Cluster  string   `default:"svc" variable:"SVC_CLUSTER" placeholder:"NAME" help:"Name of the cluster."`
}

// Help implements kong.HelpProvider.
func (c *placeCmd) Help() string {
	return `Stores which node types are called by workers with --answer QUEUE instead of by the worker that drives the run. The rules replace those stored before. Processes apply them at their next start; svc-cluster check lists processes that have not been restarted. A process whose --place differs does not start.

Examples:

    svc-cluster place
    svc-cluster place media.*=gpu pdf.*=office
    svc-cluster place none`
}

// Run replaces the stored rules, or prints them.
func (c *placeCmd) Run(ctx context.Context, h *host) error {
	servers := member.Servers{Postgres: c.Postgres, Cluster: c.Cluster}
	if err := servers.Validate(); err != nil {
		return err
	}
	const none = "none"
	if len(c.Rules) > 0 {
		if slices.Equal(c.Rules, []string{none}) {
			c.Rules = nil
		}
		return servers.Place(ctx, c.Rules)
	}
	rules, err := servers.Placement(ctx)
	if err != nil {
		return err
	}
	if len(rules) == 0 {
		rules = []string{none}
	}
	for _, rule := range rules {
		if _, err := fmt.Fprintln(h.stdout, program.Inert(rule)); err != nil {
			return err
		}
	}
	return nil
}
