package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/store/postgres"
)

type migrateCmd struct {
	Postgres string `variable:"SVC_POSTGRES" placeholder:"URL" help:"PostgreSQL database of the cluster, such as postgres://svc@db.example.com/svc."`
}

// Help implements kong.HelpProvider.
func (c *migrateCmd) Help() string {
	return `Makes the tables of this version in the database of a cluster, or brings those of an earlier version there: once before the first start, and with each new version before its processes start. It can be called again, and by several at once. The address is that of the server itself, not of a pooler.

Examples:

    svc-cluster migrate --postgres postgres://svc@db.example.com/svc`
}

// answerWithin is how long the database may take to answer.
const answerWithin = 9 * time.Second

// Run creates or updates the tables.
func (c *migrateCmd) Run(ctx context.Context, h *host) error {
	if c.Postgres == "" {
		return program.Usagef("name the database of the cluster by --postgres URL or in SVC_POSTGRES")
	}
	if err := c.reach(ctx); err != nil {
		return err
	}
	made, err := postgres.Migrate(ctx, c.Postgres)
	if err != nil {
		return fmt.Errorf("--postgres: %w", err)
	}
	text := "the database has the tables of this version already"
	if len(made) > 0 {
		text = fmt.Sprintf("the database has the tables of version %d now", made[len(made)-1])
	}
	_, err = fmt.Fprintln(h.stdout, text)
	return err
}

// reach checks that the database can be reached. Unlike the migration, this must not take long.
func (c *migrateCmd) reach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	kept, err := postgres.Open(ctx, c.Postgres)
	if err == nil {
		kept.Close()
	}
	if err == nil || errors.Is(err, postgres.ErrNotMigrated) {
		return nil
	}
	return fmt.Errorf("--postgres: %w", err)
}
