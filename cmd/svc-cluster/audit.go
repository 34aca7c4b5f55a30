package main

import (
	"context"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/clusterdb"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
)

type auditCmd struct {
	Postgres string `variable:"SVC_POSTGRES" placeholder:"URL" help:"PostgreSQL database of the cluster, such as postgres://svc@db.example.com/svc."`
	Last     int    `default:"100" placeholder:"N" help:"How many lines to print; 0 for all that are kept."`
}

// Help implements kong.HelpProvider.
func (c *auditCmd) Help() string {
	return `Prints a line of JSON for each change and each refused call at any instance, in the order in which they were recorded: who, what, and the result. It contains neither bodies nor secrets. The last 500,000 lines are kept.

Examples:

    svc-cluster audit --postgres postgres://svc@db.example.com/svc
    svc-cluster audit --last 0 | jq 'select(.who == "ci")'`
}

// Run prints the lines.
func (c *auditCmd) Run(ctx context.Context, h *host) error {
	if c.Postgres == "" {
		return program.Usagef("name the database of the cluster by --postgres URL or in SVC_POSTGRES")
	}
	if c.Last < 0 {
		return program.Usagef("--last is a number from 0 on; 0 is for all lines")
	}
	opening, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	kept, err := member.OpenDatabase(opening, c.Postgres)
	if err != nil {
		return err
	}
	defer kept.Close()
	return clusterdb.NewAudit(kept.DB()).Print(ctx, c.Last, h.stdout)
}
