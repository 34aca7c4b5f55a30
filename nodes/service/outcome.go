package service

import (
	"context"
	"errors"

	"github.com/svcflow/svc/engine/node"
)

// Outcome holds the outputs of all nodes that act on a network (docs/design.md, Networks).
// Embed it after the node's own outputs.
type Outcome struct {
	Success bool    `port:"success,outcome" doc:"Whether it was done."`
	Error   *string `port:"error,outcome" doc:"Why it was not done, for people; null on success."`
}

// Report converts the error of an action to outputs, so that a workflow that uses them
// continues; otherwise the engine fails the node with err. Other failures are returned: the end of ctx, no valid credential, and a network that is not
// configured.
func Report(ctx context.Context, err error) (Outcome, error) {
	switch {
	case err == nil:
		return Outcome{Success: true}, nil
	case node.CodeOf(err) == CodeOutcomeUnknown:
		// Even after the node's timeout: a failure would be retried.
	case ctx.Err() != nil, errors.As(err, new(credentialError)):
		return Outcome{}, err
	case node.CodeOf(err) == CodeNotConfigured, node.CodeOf(err) == node.CodeReauthorize:
		return Outcome{}, err
	}
	if node.CodeOf(err) == CodeOutcomeUnknown {
		err = node.Permanent(err)
	}
	node.NotDone(ctx, err)
	message := err.Error()
	return Outcome{Error: &message}, nil
}

// Done treats a conflict as success: it means that the action was done before.
func Done(err error) error {
	if node.CodeOf(err) == CodeConflict {
		return nil
	}
	return err
}
