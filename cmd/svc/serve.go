package main

import (
	"context"
	"log/slog"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/httpapi"
)

type serveCmd struct {
	serving.Flags

	Durability string `default:"strict" enum:"strict,relaxed" variable:"SVC_DURABILITY" placeholder:"HOW" help:"When a run counts as recorded: strict (it is on the disk) or relaxed (it is there within 20 ms, which a loss of power can take)."`
	databaseFlag
}

// Help implements kong.HelpProvider.
func (c *serveCmd) Help() string {
	return `Clients send the API key as a bearer token. It is the value of SVC_API_KEY; without that, the server makes one on its first start and keeps it in DIR/api-key. Every flag can also be set by the variable named behind it.

SIGINT and SIGTERM let the server finish the runs it has and end with 0; what outlasts the grace is interrupted and can be resumed. A second signal ends it at once.

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
