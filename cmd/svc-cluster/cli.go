package main

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/alecthomas/kong"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
)

// version is set by releases, with -ldflags "-X main.version=v1.2.3".
var version string

// name is the name of the program.
const name = "svc-cluster"

// cli is the grammar of the command line.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Serve workflows over HTTP as one of several instances."`
	Worker  workerCmd  `cmd:"" help:"Drive runs as one of several workers."`
	Migrate migrateCmd `cmd:"" help:"Create or update the tables of the cluster's database."`
	Place   placeCmd   `cmd:"" help:"Show or change which nodes are placed on queues."`
	Check   checkCmd   `cmd:"" help:"Check a cluster for problems."`
	Audit   auditCmd   `cmd:"" help:"Print the audit log."`
	Version versionCmd `cmd:"" help:"Print the version."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version, as the command does."`
}

const description = `Svc on many machines: instances serve workflows, workers drive their runs, and a run goes on whatever happens to either. All of them share one PostgreSQL database and one Temporal namespace.

To try it on one machine, with both servers in one command, there is svc-cluster-dev. To begin with servers of your own:

    export SVC_POSTGRES=postgres://svc@db.example.com/svc TEMPORAL_ADDRESS=temporal.example.com:7233
    export SVC_API_KEY=$(openssl rand -hex 32)
    svc-cluster migrate
    svc-cluster worker &
    svc-cluster serve`

// host is the environment of a command.
type host struct {
	stdout, stderr io.Writer
	env            func(name string) (string, bool)
}

// process returns the environment of a server.
func (h *host) process() *serving.Process {
	return &serving.Process{Name: name, Version: program.Version(version), Stderr: h.stderr, Env: h.env}
}

// obey executes the command line and returns the exit status. It stops when ctx is done.
func obey(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env func(string) (string, bool)) int {
	if program.Apart(args) {
		return program.WorkApart(args, stdin, stdout)
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	line := program.Line{Name: name, Description: description, Stdout: stdout, Stderr: stderr, Env: env, Vars: kong.Vars{"version": versionText()}}
	return line.Obey(ctx, args, &cli{}, &host{stdout, stderr, env})
}

type versionCmd struct{}

// Help implements kong.HelpProvider.
func (c *versionCmd) Help() string {
	return `Prints the version of svc-cluster, the commit it was built from, and the Go version and platform it was built for.

Examples:

    svc-cluster version`
}

// Run prints the version.
func (c *versionCmd) Run(h *host) error {
	_, err := fmt.Fprintln(h.stdout, versionText())
	return err
}

func versionText() string {
	return fmt.Sprintf("%s %s %s %s/%s", name, program.Version(version), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
