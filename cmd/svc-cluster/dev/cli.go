package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
	"github.com/svcflow/svc/cmd/svc-cluster/dev/servers"
	"github.com/svcflow/svc/cmd/svc-cluster/internal/member"
)

// name is the name of the program.
const name = "svc-cluster-dev"

// cli is the command line.
type cli struct {
	Dir          string `default:"svc-cluster-dev" placeholder:"DIR" help:"Directory for everything that is remembered."`
	Addr         string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where the instance listens; port 0 takes any free one."`
	Postgres     string `placeholder:"URL" help:"PostgreSQL database that there is already, such as postgres://svc@db.example.com/svc. By default one is started from the installed programs."`
	TemporalPort int    `name:"temporal-port" default:"7233" placeholder:"PORT" help:"Where Temporal listens on the loopback; 0 takes any free one."`
	PostgresPort int    `name:"postgres-port" default:"7234" placeholder:"PORT" help:"Where PostgreSQL does; 0 takes any free one."`
	ServersOnly  bool   `name:"servers-only" help:"Start the two servers, and neither instance nor worker."`
}

const description = `svc-cluster-dev is a cluster of Svc on this machine: Temporal's server, which it has inside, PostgreSQL from the installed programs, one instance that serves, and one worker that drives the runs. All listen on the loopback only. It is for trying and developing, not for production.

To begin, in two terminals:

    svc-cluster-dev > cluster.env

    . ./cluster.env
    svc run template:greeting --input who=Ada
    svc-cluster worker

The variables in cluster.env lead svc to the instance, and svc-cluster to the servers, for more instances and workers. What is set by variables for svc-cluster serve and worker holds for those in here, too.

SIGINT and SIGTERM end everything; what is remembered is there again the next time, also after a kill, and runs go on.`

// host is the environment of the program.
type host struct{ stdout, stderr io.Writer }

// run executes the command line and returns the exit status. It serves until ctx is done.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if program.Apart(args) {
		return program.WorkApart(args, stdin, stdout)
	}
	none := func(string) (string, bool) { return "", false } // the flags of this program have no variables
	line := program.Line{Name: name, Description: description, Stdout: stdout, Stderr: stderr, Env: none}
	return line.Obey(ctx, args, &cli{}, &host{stdout, stderr})
}

// Run starts everything and stops it when ctx is done.
func (c *cli) Run(ctx context.Context, h *host) error {
	began := time.Now()
	both, err := servers.Start(ctx, servers.Config{Dir: c.Dir, Postgres: c.Postgres, TemporalPort: c.TemporalPort, PostgresPort: c.PostgresPort})
	if err != nil {
		return err
	}
	if err := c.serve(ctx, both, began, h); err != nil {
		_ = both.Close() // the first error says more
		return err
	}
	return both.Close()
}

// serve runs an instance and a worker until ctx is done.
func (c *cli) serve(ctx context.Context, s *servers.Servers, began time.Time, h *host) error {
	if err := c.announce(s, time.Since(began), h); err != nil {
		return err
	}
	if c.ServersOnly {
		<-ctx.Done()
		return nil
	}
	pair := member.Pair{
		Servers: member.Servers{Postgres: s.Database, Temporal: s.Temporal.Address(), Namespace: servers.Namespace},
		Addr:    c.Addr, Data: c.data(),
	}
	return pair.Do(ctx, &serving.Process{Name: name, Version: program.Version(""), Stderr: h.stderr, Env: os.LookupEnv})
}

// data returns the data directory of instance and worker.
func (c *cli) data() string { return filepath.Join(c.Dir, "data") }

// announce prints the addresses of the servers, and the variables for other processes.
func (c *cli) announce(s *servers.Servers, took time.Duration, h *host) error {
	address, password, err := s.Public()
	if err != nil {
		return err
	}
	fmt.Fprintf(h.stderr, name+": Temporal is at %s, namespace %s\n", s.Temporal.Address(), servers.Namespace)
	fmt.Fprintf(h.stderr, name+": PostgreSQL is at %s\n", address)
	fmt.Fprintf(h.stderr, name+": the servers are ready after %s; what is remembered is in %s\n", took.Round(time.Millisecond), c.Dir)
	variables := [][2]string{
		{"TEMPORAL_ADDRESS", s.Temporal.Address()}, {"TEMPORAL_NAMESPACE", servers.Namespace}, {"SVC_POSTGRES", address}, {"PGPASSWORD", password},
	}
	if _, port, err := net.SplitHostPort(c.Addr); err == nil && port != "0" && !c.ServersOnly {
		variables = append(variables, [2]string{"SVC_SERVER", "http://" + c.Addr}, [2]string{"SVC_API_KEY_FILE", serving.KeyFile(c.data())})
	}
	for _, v := range variables {
		if v[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(h.stdout, "export %s=%s\n", v[0], program.Shell(v[1])); err != nil {
			return err
		}
	}
	return nil
}
