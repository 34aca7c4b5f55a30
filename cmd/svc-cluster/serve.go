package main

import (
	"context"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
)

type serveCmd struct{ member.Instance }

// Help implements kong.HelpProvider.
func (c *serveCmd) Help() string {
	return `Serves what svc serve does, at the same addresses: start, follow, list, cancel and resume runs at any instance, whichever has started them. Clients send the API key as a bearer token; it is the value of SVC_API_KEY, the same for all instances. Every flag can also be set by the variable named behind it.

The tables are made by svc-cluster migrate. Runs are driven by workers (svc-cluster worker), and by instances with --runs N. SIGINT and SIGTERM end an instance; runs go on.

Triggers of active workflows fire: one instance sees to schedules and to what is watched, another one goes on within seconds when it dies, and hooks are called at any of them.

Examples:

    svc-cluster serve --postgres postgres://svc@db.example.com/svc --temporal temporal.example.com:7233
    svc-cluster serve --addr 127.0.0.1:8081 --runs 20 --probe-addr 127.0.0.1:9081`
}

// Run serves until ctx is done.
func (c *serveCmd) Run(ctx context.Context, h *host) error {
	if key, _ := h.env(serving.KeyVariable); key == "" && !c.AllowAnonymous {
		return program.Usagef("the instances of a cluster have one API key, which is not made up: put it into %s, the same for all of them", serving.KeyVariable)
	}
	return c.Do(ctx, h.process())
}

type workerCmd struct{ member.Worker }

// Help implements kong.HelpProvider.
func (c *workerCmd) Help() string {
	return `Drives the runs that Temporal hands out, up to --runs at once. It needs what workflows need: the same flags and variables for accounts, addresses and files as all other workers, and one folder for the files of all (--data). Clients do not talk to it; --probe-addr has figures and its health.

SIGINT and SIGTERM let it hand its runs over to other workers and end. If it dies, they take its runs over.

Examples:

    svc-cluster worker --postgres postgres://svc@db.example.com/svc --temporal temporal.example.com:7233
    svc-cluster worker --runs 20 --probe-addr 127.0.0.1:9082

A machine for some nodes alone, such as one with a graphics card, and those who leave them to it:

    svc-cluster worker --runs 0 --answer gpu --answer-at-once 2
    svc-cluster worker --place media.*=gpu`
}

// Run drives runs until ctx is done.
func (c *workerCmd) Run(ctx context.Context, h *host) error { return c.Do(ctx, h.process()) }
