package node

import "context"

// Choice is one of the values that make sense for an input.
type Choice struct {
	Value any    `json:"value"`
	Label string `json:"label"`
}

// Chooser tells the values that make sense for one of a node's inputs that have
// [Port.Choices], given the node's config as it is so far, such as the account that it
// uses. The config holds values of the inputs' types; one that is not given yet, or is
// wrong, is not there. It is called when people edit a workflow, never during a run.
type Chooser func(ctx context.Context, port string, config map[string]any) ([]Choice, error)
