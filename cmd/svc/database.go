package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
)

// databaseFlag says where the stored workflows are, if not in the data directory.
type databaseFlag struct {
	Workflows string `variable:"SVC_WORKFLOWS" placeholder:"URL" help:"PostgreSQL database that has the stored workflows instead of the data directory, such as postgres://svc@db.example.com/svc."`
}

// openPatience is how long a database may take to answer when it is opened.
const openPatience = 10 * time.Second

// open returns the stored workflows, and what closes them.
func (f databaseFlag) open(ctx context.Context, data string) (store.WorkflowStore, func(), error) {
	if f.Workflows == "" {
		return stored(data), func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	kept, err := postgres.Open(ctx, f.Workflows)
	if err != nil {
		return nil, nil, fmt.Errorf("--workflows: %w", err)
	}
	return kept, kept.Close, nil
}

type migrateCmd struct {
	databaseFlag
	outputFlag
}

// Help implements kong.HelpProvider.
func (c *migrateCmd) Help() string {
	return `Makes the tables of this version of svc in a PostgreSQL database, or brings those of an earlier one there, so that svc serve --workflows URL can keep workflows in it. It can be called again, and by several at once. The address is that of the server itself, not of a pooler. Passwords are better given by PGPASSWORD or ~/.pgpass than in the address.

Examples:

    svc migrate --workflows postgres://svc@db.example.com/svc
    SVC_WORKFLOWS=postgres://svc@db.example.com/svc svc migrate`
}

// Run makes the tables.
func (c *migrateCmd) Run(ctx context.Context, h *host) error {
	if c.Workflows == "" {
		return usageError{Err: errors.New("name the database by --workflows URL or SVC_WORKFLOWS")}
	}
	made, err := postgres.Migrate(ctx, c.Workflows)
	if err != nil {
		return fmt.Errorf("--workflows: %w", err)
	}
	text := "the database has the tables of this version already\n"
	if len(made) > 0 {
		text = fmt.Sprintf("the database has the tables of version %d now\n", made[len(made)-1])
	}
	return c.answer(h, migrated{Made: append([]int64{}, made...)}, text)
}

// migrated is what svc migrate answers.
type migrated struct {
	Made []int64 `json:"made"` // the versions of the tables that it has made
}
