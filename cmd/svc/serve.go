package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/httpapi"
	"github.com/svcflow/svc/store"
	"github.com/svcflow/svc/store/postgres"
)

type serveCmd struct {
	serving.Flags

	Durability string `default:"strict" enum:"strict,relaxed" variable:"SVC_DURABILITY" placeholder:"HOW" help:"When a run counts as recorded: strict (it is on the disk) or relaxed (it is on the disk within 20 ms; a power failure may lose it)."`
	databaseFlag
}

// Help implements kong.HelpProvider.
func (c *serveCmd) Help() string {
	return `Clients send the API key as a bearer token. It is the value of SVC_API_KEY. Without that, the server makes a key when it first starts and stores it in DIR/api-key. The variable named after each flag sets it, too.

SIGINT and SIGTERM let the server finish the runs it has and end with 0; what outlasts the grace is interrupted and can be resumed. A second signal ends it at once. SIGHUP does nothing: the server has no configuration file that it could read again.

Examples:

    svc serve --addr 127.0.0.1:8080 --data ./data
    SVC_API_KEY=$(openssl rand -hex 32) svc serve --prefix /flow`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, h *host) error {
	kept, closeKept, err := c.open(ctx, c.Data.Data)
	if err != nil {
		return err
	}
	defer closeKept()
	p := &serving.Process{Name: "svc", Version: program.Version(version), Stderr: h.stderr, Env: h.env}
	return c.Serve(ctx, p, func(config *httpapi.Config, _ *slog.Logger) error {
		config.Store, config.Relaxed, config.Triggers = kept, c.Durability == "relaxed", true
		return nil
	})
}

// databaseFlag is the flag for a database of workflows, in place of the data directory.
type databaseFlag struct {
	Workflows string `variable:"SVC_WORKFLOWS" placeholder:"URL" help:"PostgreSQL database that stores workflows instead of the data directory, such as postgres://svc@db.example.com/svc."`
}

// openPatience bounds the time to connect to a database.
const openPatience = 10 * time.Second

// open returns the stored workflows, and a function that closes them.
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
	return `Creates the tables of this version of svc in a PostgreSQL database, or upgrades those of an earlier version, for svc serve --workflows URL. You can call it repeatedly, and several times at once. Use the address of the server itself, not of a pooler. Give passwords by PGPASSWORD or ~/.pgpass than in the address.

Examples:

    svc migrate --workflows postgres://svc@db.example.com/svc
    SVC_WORKFLOWS=postgres://svc@db.example.com/svc svc migrate`
}

// Run creates or upgrades the tables.
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

// migrated is the answer of svc migrate.
type migrated struct {
	Made []int64 `json:"made"` // the versions of the tables that were created
}
