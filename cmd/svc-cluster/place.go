package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
)

type placeCmd struct {
	Rules    []string `arg:"" optional:"" name:"type=queue" help:"All that is placed from now on, such as media.*=gpu; the word none for nothing. Without any it is told what is placed."`
	Postgres string   `variable:"SVC_POSTGRES" placeholder:"URL" help:"PostgreSQL database of the cluster, such as postgres://svc@db.example.com/svc."`
	Cluster  string   `default:"svc" variable:"SVC_CLUSTER" placeholder:"NAME" help:"Name of the cluster."`
}

// Help implements kong.HelpProvider.
func (c *placeCmd) Help() string {
	return `Has the cluster keep which nodes are called by workers with --answer QUEUE, and not by whoever drives their run, instead of what it kept before. Processes keep to that from their next start on, and svc-cluster check tells which of them have not been started since. One whose own --place is another is refused.

Examples:

    svc-cluster place
    svc-cluster place media.*=gpu pdf.*=office
    svc-cluster place none`
}

// Run changes what is placed, or tells it.
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
