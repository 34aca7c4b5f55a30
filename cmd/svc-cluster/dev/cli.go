package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/svcflow/svc/cmd/svc-cluster/dev/servers"
)

// The exit statuses besides 0.
const (
	exitFailed  = 1
	exitInvalid = 2
)

// cli is the command line.
type cli struct {
	Dir          string `default:"svc-cluster-dev" placeholder:"DIR" help:"Directory for what the servers remember. Default ${default}."`
	Postgres     string `placeholder:"URL" help:"PostgreSQL database that there is already, such as postgres://svc@db.example.com/svc. By default one is started from the installed programs."`
	TemporalPort int    `name:"temporal-port" default:"7233" placeholder:"PORT" help:"Where Temporal listens on the loopback; 0 takes any free one. Default ${default}."`
	PostgresPort int    `name:"postgres-port" default:"7234" placeholder:"PORT" help:"Where PostgreSQL does; 0 takes any free one. Default ${default}."`
}

const description = `svc-cluster-dev starts the two servers that a cluster of Svc needs: Temporal's, which it has inside, and PostgreSQL from the installed programs. Both listen on the loopback only. It is for trying and developing, not for production.

To begin, in two terminals:

    svc-cluster-dev > cluster.env

    . ./cluster.env

SIGINT and SIGTERM end the servers; what they remember is there again the next time, also after a kill.`

// run does what args say and returns the exit status. It serves until ctx is done.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c cli
	helped := false
	parser, err := kong.New(&c, kong.Name("svc-cluster-dev"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(int) { helped = true }), kong.ConfigureHelp(kong.HelpOptions{WrapUpperBound: 100}))
	if err != nil {
		return report(stderr, err, exitFailed) // a mistake in the grammar, which every test would show
	}
	_, err = parser.Parse(args)
	switch {
	case helped:
		return 0
	case err != nil:
		return report(stderr, fmt.Errorf("%w; see `svc-cluster-dev --help`", err), exitInvalid)
	}
	if err := c.serve(ctx, stdout, stderr); err != nil {
		return report(stderr, err, exitFailed)
	}
	return 0
}

// serve starts the servers and ends them when ctx is done.
func (c *cli) serve(ctx context.Context, stdout, stderr io.Writer) error {
	began := time.Now()
	both, err := servers.Start(ctx, servers.Config{Dir: c.Dir, Postgres: c.Postgres, TemporalPort: c.TemporalPort, PostgresPort: c.PostgresPort})
	if err != nil {
		return err
	}
	if err := c.announce(both, time.Since(began), stdout, stderr); err != nil {
		_ = both.Close() // the first error says more
		return err
	}
	<-ctx.Done()
	return both.Close()
}

// announce prints where the servers are.
func (c *cli) announce(s *servers.Servers, took time.Duration, stdout, stderr io.Writer) error {
	address, password, err := s.Public()
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "svc-cluster-dev: Temporal is at %s, namespace %s\n", s.Temporal.Address(), servers.Namespace)
	fmt.Fprintf(stderr, "svc-cluster-dev: PostgreSQL is at %s\n", address)
	fmt.Fprintf(stderr, "svc-cluster-dev: ready after %s; what they remember is in %s\n", took.Round(time.Millisecond), c.Dir)
	variables := [][2]string{
		{"TEMPORAL_ADDRESS", s.Temporal.Address()}, {"TEMPORAL_NAMESPACE", servers.Namespace}, {"SVC_DATABASE", address}, {"PGPASSWORD", password},
	}
	for _, v := range variables {
		if v[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(stdout, "export %s=%s\n", v[0], quoted(v[1])); err != nil {
			return err
		}
	}
	return nil
}

// quoted returns a word for a shell.
func quoted(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

func report(stderr io.Writer, err error, status int) int {
	fmt.Fprintf(stderr, "svc-cluster-dev: %s\n", strings.ReplaceAll(err.Error(), "\n", "; ")) //nolint:errcheck // there is nowhere left to say so
	return status
}
