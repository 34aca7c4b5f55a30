package ui

import (
	"context"

	"github.com/svcflow/svc/engine/node"
	"github.com/svcflow/svc/engine/workflow"
	"github.com/svcflow/svc/ui/job"
	"github.com/svcflow/svc/ui/places"
)

// names are of the accounts and workflows of the place, for the fields that name them, as
// they were when the place was asked last.
type names struct {
	here     func() places.Place
	asking   *job.Latest
	choosing *job.Latest
	accounts []string
	stored   []string
}

// choices asks the place which values make sense for an input.
func (n *names) choices(typ, port string, config map[string]any, then func([]node.Choice, error)) {
	place := n.here()
	n.choosing.Now(func(ctx context.Context) func() {
		all, err := place.Backend.Choices(ctx, typ, port, config)
		return func() { then(all, err) }
	})
}

// learn asks the place again.
func (n *names) learn() {
	place := n.here()
	n.asking.Now(func(ctx context.Context) func() {
		accounts, err := place.Accounts.Accounts(ctx)
		if err != nil {
			accounts = nil // the accounts themselves say why
		}
		stored, err := workflow.All(ctx, place.Backend.Workflows)
		if err != nil {
			stored = nil
		}
		return func() {
			n.accounts, n.stored = nil, nil
			for i := range accounts {
				n.accounts = append(n.accounts, string(accounts[i].Ref))
			}
			for i := range stored {
				n.stored = append(n.stored, stored[i].ID)
			}
		}
	})
}
