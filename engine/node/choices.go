package node

import "context"

// Choice is one of the sensible values of an input.
type Choice struct {
	Value any    `json:"value"`
	Label string `json:"label"`
}

// Chooser returns the sensible values for an input with [Port.Choices], given the node's
// config so far, such as the account that it uses. The config holds values of the inputs'
// types; missing and invalid values are left out. A Chooser is called when users edit a
// workflow, never during a run.
type Chooser func(ctx context.Context, port string, config map[string]any) ([]Choice, error)
