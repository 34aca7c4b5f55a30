package main

import (
	"context"
	"errors"
	"io"

	"github.com/svcflow/svc/cmd/internal/program"
	"github.com/svcflow/svc/credentials"
	"github.com/svcflow/svc/nodes"
)

// openCredential opens what a credential is for, such as a database, as svc run would.
func (h *host) openCredential(ctx context.Context, s *sources, ref credentials.Ref) (err error) {
	env, err := nodes.Local(nodes.Policy{FilesDir: ".", Getenv: h.env, Networks: s.networks, Credentials: s.refresher, Code: program.Child})
	if err != nil {
		return err
	}
	for _, p := range h.plugins(env) {
		if tester, ok := p.(credentials.Tester); ok {
			err = errors.Join(err, tester.TestCredential(ctx, ref))
		}
		if closer, ok := p.(io.Closer); ok {
			err = errors.Join(err, closer.Close())
		}
	}
	return err
}
