package member

import (
	"context"
	"errors"
	"net"

	"golang.org/x/sync/errgroup"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/cmd/internal/serving"
)

// Pair is an instance and a worker in one process, for trials and development. Everything else is
// configured by the variables of their flags.
type Pair struct {
	Servers

	Addr string // address of the instance
	Data string // data directory of both; an API key is created there unless the environment has one
}

// Do serves and drives runs until ctx ends.
func (m *Pair) Do(ctx context.Context, p *serving.Process) error {
	var instance Instance
	var worker Worker
	common := []string{"--postgres", m.Postgres, "--temporal", m.Temporal, "--namespace", m.Namespace, "--data", m.Data}
	err := errors.Join(fill(ctx, p, &instance, append(common, "--addr", m.Addr)), fill(ctx, p, &worker, common))
	if err != nil {
		return program.UsageError{Err: err}
	}
	if instance.ProbeAddr != "" { // both cannot listen on the same port
		worker.ProbeAddr = net.JoinHostPort("127.0.0.1", "0")
	}
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error { return worker.Do(ctx, p) })
	both.Go(func() error { return instance.Do(ctx, p) })
	return both.Wait()
}

// fill parses flags from arguments, variables and defaults.
func fill(ctx context.Context, p *serving.Process, flags any, args []string) error {
	line := program.Line{Name: p.Name, Stdout: p.Stderr, Stderr: p.Stderr, Env: p.Env}
	parser, _, err := line.Parser(ctx, flags)
	if err != nil {
		return err
	}
	_, err = parser.Parse(args)
	return err
}
